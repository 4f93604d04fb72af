package htmlreport

import (
	"math"
	"slices"
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
	// The champion; nil where it has no figure. Its duels decided, so that others may have been timed faster once
	Champion *Moment `json:"champion,omitempty"`
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
	Kind    string  `json:"kind"` // the meaning that its colour has: baseline, portfolio or roofline
	Speedup float64 `json:"speedup"`
}

// What bounds the points of the convergence chart: more would hide each other.
const (
	shownRight = 2000
	shownBest  = 500
)

func (in *Input) convergence(shown []kernels.Candidate, n sharing) *Convergence {
	if len(shown) < 2 {
		return nil
	}
	inOrder := slices.Clone(shown)
	slices.SortFunc(inOrder, func(a, b kernels.Candidate) int { return a.Seq - b.Seq })
	when := in.elapsed()
	moment := func(c kernels.Candidate) [3]float64 {
		return [3]float64{float64(c.Seq), milli(when[c.ID].Seconds()), round(1 / c.Score)}
	}
	momentOf := func(c kernels.Candidate) Moment { return Moment{moment(c), c.ID.Short(), clip(origin(c), 200)} }
	most := n.part(shownRight)
	v := &Convergence{Lines: in.levels(), Thinned: len(inOrder) > most}
	step := (len(inOrder) + most - 1) / most
	for i, c := range inOrder {
		if i%step == 0 {
			v.Right = append(v.Right, moment(c))
		}
		if in.isChampion(c) {
			m := momentOf(c)
			v.Champion = &m
		}
	}
	for _, c := range thin(in.championsNow(inOrder), 0, n.part(shownBest)) {
		m := momentOf(c)
		if k := len(v.Best); k > 0 { // one that was judged before the champion that it beat
			m.At[0], m.At[1] = max(m.At[0], v.Best[k-1].At[0]), max(m.At[1], v.Best[k-1].At[1])
		}
		v.Best = append(v.Best, m)
	}
	end := moment(in.Candidates[len(in.Candidates)-1]) // may have failed: it only says how far the run is
	end[2] = v.Best[len(v.Best)-1].At[2]
	v.Best = append(v.Best, Moment{At: end})
	return v
}

// championsNow are the champions of a run in the order of becoming it, those that are right to this day: the lowest of
// many single timings is the luckiest. A run that names none has those that were faster than all before.
func (in *Input) championsNow(inOrder []kernels.Candidate) (out []kernels.Candidate) {
	at := map[kernels.ID]int{}
	for i, c := range inOrder {
		at[c.ID] = i
	}
	for _, id := range in.Champions {
		if i, ok := at[id]; ok {
			out = append(out, inOrder[i])
		}
	}
	if len(out) > 0 {
		return out
	}
	best := math.Inf(1)
	for _, c := range inOrder {
		if c.Score < best {
			best = c.Score
			out = append(out, c)
		}
	}
	return out
}

// milli keeps the thousandths of a second.
func milli(s float64) float64 { return math.Round(max(0, s)*1e3) / 1e3 }

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

// startTimes are the naive start's by workload, as the champion's are measured: at the end, or in the search.
func (in *Input) startTimes() map[string]float64 {
	for _, b := range in.Baselines {
		if b.Name == kernels.NaiveStart {
			return medians(b.Times, in.Meta.Cache)
		}
	}
	for _, c := range in.Candidates {
		if c.Origin.Operator == kernels.NaiveStart && c.Result.Outcome == kernels.OK {
			return medians(c.Result.Times, in.Meta.Cache)
		}
	}
	return nil
}

// levels are the baselines and the roofline as speedups over the naive start, weighted as scores are.
func (in *Input) levels() []Level {
	base := in.startTimes()
	out := []Level{} // the page counts on a list
	add := func(name, kind string, times []kernels.Timing) {
		// err: some workload has no time
		if score, err := in.Meta.Objective.Score(times, base, in.Meta.Workloads); err == nil && score > 0 {
			out = append(out, Level{name, kind, round(1 / score)})
		}
	}
	for _, b := range in.Baselines {
		at := slices.IndexFunc(in.Versus, func(v Versus) bool { return v.Name == b.Name })
		switch {
		case b.Name == kernels.NaiveStart:
		case at >= 0 && in.Champion != nil && in.Champion.Score > 0:
			out = append(out, Level{b.Name, "baseline", round(1 / in.Champion.Score / in.Versus[at].Speedup)})
		default:
			add(b.Name, "baseline", ofCache(b.Times, in.Meta.Cache))
		}
	}
	if p := in.Portfolio; p != nil && p.Cache == in.Meta.Cache {
		var times []kernels.Timing
		for _, c := range p.Choices {
			times = append(times, kernels.Timing{Workload: c.Workload, Median: c.Time})
		}
		add("portfolio", "portfolio", times)
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
	add("roofline", "roofline", floor)
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
