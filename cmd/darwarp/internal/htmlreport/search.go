package htmlreport

import (
	"math"
	"slices"
	"strings"
	"time"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Convergence is how a search came to its best. A moment is an evaluation's number, seconds since the
// run was begun, and the speedup over the naive start.
type Convergence struct {
	Right   [][3]float64 `json:"right"` // right candidates, thinned out
	Best    []Moment     `json:"best"`  // each that was better than all before, then where the run stands now
	Lines   []Level      `json:"lines"` // baselines and the roofline
	Thinned bool         `json:"thinned,omitempty"`
}

// Moment is a candidate that was better than all before.
type Moment struct {
	At   [3]float64 `json:"at"`
	ID   string     `json:"id"`
	Note string     `json:"note"`
}

// Level is the speedup over the naive start of something else.
type Level struct {
	Name    string  `json:"name"`
	Speedup float64 `json:"speedup"`
}

// shownRight bounds the points of the convergence chart: more would hide each other.
const shownRight = 2000

func (in *Input) convergence(shown []kernels.Candidate) *Convergence {
	if len(shown) < 2 {
		return nil
	}
	inOrder := slices.Clone(shown)
	slices.SortFunc(inOrder, func(a, b kernels.Candidate) int { return a.Seq - b.Seq })
	when := in.elapsed()
	moment := func(c kernels.Candidate) [3]float64 {
		return [3]float64{float64(c.Seq), math.Round(max(0, when[c.ID].Seconds())*1e3) / 1e3, round(1 / c.Score)}
	}
	v := &Convergence{Lines: in.levels(), Thinned: len(inOrder) > shownRight}
	step := (len(inOrder) + shownRight - 1) / shownRight
	best := math.Inf(1)
	for i, c := range inOrder {
		if i%step == 0 {
			v.Right = append(v.Right, moment(c))
		}
		if c.Score < best {
			best = c.Score
			v.Best = append(v.Best, Moment{moment(c), c.ID.Short(), origin(c)})
		}
	}
	end := moment(in.Candidates[len(in.Candidates)-1]) // may have failed: it only says how far the run is
	end[2] = v.Best[len(v.Best)-1].At[2]
	v.Best = append(v.Best, Moment{At: end})
	return v
}

// elapsed is when each candidate was judged, in the time of the search: on a recording, the time that the recorded work
// took.
func (in *Input) elapsed() map[kernels.ID]time.Duration {
	out, sum := map[kernels.ID]time.Duration{}, 0.0
	for _, c := range in.Candidates {
		sum += c.Result.Cost.Total()
		out[c.ID] = c.At.Sub(in.Meta.Created)
		if in.Meta.Device.Kind == "replay" {
			out[c.ID] = time.Duration(sum * float64(time.Second))
		}
	}
	return out
}

// round keeps five digits: a page needs no more.
func round(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0
	}
	scale := math.Pow(10, 4-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}

// levels are the baselines and the roofline as speedups over the naive start, weighted as scores are.
func (in *Input) levels() []Level {
	base := map[string]float64{}
	for _, c := range in.Candidates {
		if c.Origin.Operator == "default" && c.Result.Outcome == kernels.OK {
			base = medians(c.Result.Times, in.Meta.Cache)
			break
		}
	}
	out := []Level{} // the page counts on a list
	add := func(name string, times []kernels.Timing) {
		// err: some workload has no time
		if score, err := in.Meta.Objective.Score(times, base, in.Meta.Workloads); err == nil && score > 0 {
			out = append(out, Level{name, round(1 / score)})
		}
	}
	for _, b := range in.Baselines {
		if b.Name != "default" {
			add(b.Name, ofCache(b.Times, in.Meta.Cache))
		}
	}
	if p := in.Portfolio; p != nil && p.Cache == in.Meta.Cache {
		var times []kernels.Timing
		for _, c := range p.Choices {
			times = append(times, kernels.Timing{Workload: c.Workload, Median: c.Time})
		}
		add("portfolio", times)
	}
	ceilings := report.Ceilings(in.Proof)
	if ceilings == nil {
		return out
	}
	var floor []kernels.Timing
	for _, w := range in.Meta.Workloads {
		flops, bytes, err := in.Problem.Work(w.Dims, in.Meta.DType)
		if err != nil {
			return out
		}
		if least, binds := report.Roofline(ceilings, flops, bytes, 1, in.Meta.Cache); binds != "" {
			floor = append(floor, kernels.Timing{Workload: w.Name, Median: least})
		}
	}
	add("roofline", floor)
	return out
}

func ofCache(times []kernels.Timing, cache string) []kernels.Timing {
	var out []kernels.Timing
	for _, t := range times {
		if t.Cache == cache {
			out = append(out, t)
		}
	}
	return out
}

func medians(times []kernels.Timing, cache string) map[string]float64 {
	out := map[string]float64{}
	for _, t := range ofCache(times, cache) {
		out[t.Workload] = t.Median
	}
	return out
}

// Leaders is the table of the best.
type Leaders struct {
	Workloads []string
	Resources bool // some device told registers, shared memory and occupancy
	Rows      []Leader
	More      int
}

// Leader is one of the best candidates.
type Leader struct {
	Rank                 string // empty: that of the row above
	Champion             bool
	ID, Speedup          string
	Times                []string
	Registers, Smem, Occ string
	Origin               string
}

const (
	shownLeaders   = 20
	shownWorkloads = 3 // that get a column of the leaderboard
)

func (in *Input) leaders(shown []kernels.Candidate) Leaders {
	var l Leaders
	for _, w := range in.Meta.Workloads[:min(shownWorkloads, len(in.Meta.Workloads))] {
		l.Workloads = append(l.Workloads, w.Name)
	}
	var champion kernels.ID
	if in.Champion != nil {
		champion = in.Champion.ID
	}
	for _, c := range report.Leaderboard(shown, in.Meta.Workloads, champion, shownLeaders) {
		l.Resources = l.Resources || len(c.Result.Resources) > 0
		x := Leader{Rank: c.Shown, Champion: c.ID == champion, ID: c.ID.Short(), Speedup: report.Speedup(c.Score),
			Registers: report.Registers(c.Result.Resources), Smem: report.Smem(c.Result.Resources),
			Occ: report.Occupancy(c.Result.Resources), Origin: origin(c.Candidate)}
		for _, w := range l.Workloads {
			cell := "-"
			if t := report.Find(c.Result.Times, w); t != nil {
				cell = report.Interval(t.Median, t.Lo, t.Hi)
			}
			x.Times = append(x.Times, cell)
		}
		l.Rows = append(l.Rows, x)
	}
	l.More = len(shown) - len(l.Rows)
	return l
}

func origin(c kernels.Candidate) string {
	if c.Origin.Note == "" {
		return c.Origin.Operator
	}
	return c.Origin.Operator + ": " + c.Origin.Note
}

// Parallel is the best candidates by the genes in which they differ.
type Parallel struct {
	Axes  []Axis      `json:"axes"`
	Lines []Candidate `json:"lines"` // best first
	Same  string      `json:"same"`  // the genes that all of them share
}

// Axis is a gene with the values that occur, in the order of numbers or letters.
type Axis struct {
	Gene   string   `json:"gene"`
	Values []string `json:"values"`
}

// Candidate is one line: a value index by axis.
type Candidate struct {
	ID      string  `json:"id"`
	Values  []int   `json:"values"`
	Speedup float64 `json:"speedup"`
}

const shownParallel = 50

func parallel(family string, shown []kernels.Candidate) *Parallel {
	var best []kernels.Candidate
	for _, c := range shown {
		if c.Variant.Family == family && family != "" && len(best) < shownParallel {
			best = append(best, c)
		}
	}
	if len(best) < 2 {
		return nil
	}
	p := &Parallel{}
	for _, gene := range genesOf(best) {
		p.Axes = append(p.Axes, Axis{gene, valuesOf(best, gene)})
	}
	if len(p.Axes) == 0 {
		return nil // they are the same but for their own sources
	}
	for _, c := range best {
		line := Candidate{ID: c.ID.Short(), Speedup: round(1 / c.Score)}
		for _, a := range p.Axes {
			line.Values = append(line.Values, slices.Index(a.Values, valueOf(c, a.Gene)))
		}
		p.Lines = append(p.Lines, line)
	}
	var same []string
	for _, gene := range sortedKeys(best[0].Variant.Genes) {
		if !slices.ContainsFunc(p.Axes, func(a Axis) bool { return a.Gene == gene }) {
			same = append(same, gene+" "+valueOf(best[0], gene))
		}
	}
	p.Same = strings.Join(same, ", ")
	return p
}

// valuesOf lists the values of a gene that occur: numbers by size, before words, before none.
func valuesOf(all []kernels.Candidate, gene string) []string {
	seen := map[string]kernels.Value{}
	for _, c := range all {
		seen[valueOf(c, gene)] = c.Variant.Genes[gene]
	}
	out := sortedKeys(seen)
	slices.SortStableFunc(out, func(a, b string) int {
		x, xIsInt := seen[a].Any().(int)
		y, yIsInt := seen[b].Any().(int)
		switch {
		case xIsInt && yIsInt:
			return x - y
		case xIsInt:
			return -1
		case yIsInt:
			return 1
		}
		return strings.Compare(a, b)
	})
	return out
}
