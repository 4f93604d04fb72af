package htmlreport

import (
	"cmp"
	"math"
	"slices"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

// Operator is what the candidates of one operator came to.
type Operator struct {
	Name                   string
	Tried, Right           int
	Better                 int // right, and faster than their better parent
	Champions              int
	RightShare, Gain, Best string
	Took                   float64 // seconds of compiling, checking and timing
	TookText               string
	earned                 float64 // log of the factor by which its champions beat the ones before
	best                   float64 // score
}

// shownOperators bounds the table: the names come from the run.
const shownOperators = 50

// operators are what each came to, the one that gained most first. shown has the right candidates with figures.
func (in *Input) operators(shown []kernels.Candidate) []Operator {
	by, score := map[string]*Operator{}, map[kernels.ID]float64{}
	for _, c := range shown {
		score[c.ID] = c.Score
	}
	var all []*Operator
	for i := range in.Candidates {
		c := &in.Candidates[i]
		o := by[c.Origin.Operator]
		if o == nil {
			o = &Operator{Name: c.Origin.Operator}
			by[o.Name] = o
			all = append(all, o)
		}
		o.count(c, score)
	}
	in.countChampions(by, score)
	slices.SortStableFunc(all, func(a, b *Operator) int {
		return cmp.Or(cmp.Compare(b.earned, a.earned), b.Champions-a.Champions, b.Better-a.Better, b.Tried-a.Tried)
	})
	var out []Operator
	for _, o := range all[:min(shownOperators, len(all))] {
		o.write()
		out = append(out, *o)
	}
	return out
}

func (o *Operator) count(c *kernels.Candidate, score map[kernels.ID]float64) {
	o.Tried++
	o.Took += c.Result.Cost.Total()
	if c.Result.Outcome != kernels.OK {
		return
	}
	o.Right++
	own, ok := score[c.ID]
	if !ok {
		return
	}
	if o.best == 0 || own < o.best {
		o.best = own
	}
	parent := math.Inf(1)
	for _, id := range c.Origin.Parents {
		if s, ok := score[id]; ok {
			parent = min(parent, s)
		}
	}
	if own < parent && !math.IsInf(parent, 1) {
		o.Better++
	}
}

// countChampions counts the champions of the run, each once, and what they gained on the one before.
func (in *Input) countChampions(by map[string]*Operator, score map[kernels.ID]float64) {
	operator := map[kernels.ID]string{}
	for i := range in.Candidates {
		operator[in.Candidates[i].ID] = in.Candidates[i].Origin.Operator
	}
	before, seen := 0.0, map[kernels.ID]bool{}
	for _, id := range in.Champions {
		own, ok := score[id]
		if !ok || seen[id] || own <= 0 {
			continue // it fell, or was champion before
		}
		seen[id] = true
		o := by[operator[id]]
		o.Champions++
		if before > 0 {
			o.earned += math.Log(before / own)
		}
		before = own
	}
}

func (o *Operator) write() {
	o.Name = clip(o.Name, 60)
	o.RightShare, o.Gain, o.Best = report.Percent(float64(o.Right)/float64(o.Tried)), "-", report.Speedup(o.best)
	if o.earned > 0 {
		o.Gain = report.Ratio(math.Exp(o.earned))
	}
	o.TookText = seconds(o.Took)
}
