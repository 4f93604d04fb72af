package scoring

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"math"
	"slices"

	"darwarp/eval/replay"
	"darwarp/kernels"
)

//go:embed others.json
var othersJSON []byte

// Known is a recorded space on which other tuners have marks.
type Known struct {
	Name      string  `json:"name"`
	Configs   int     `json:"configs"`
	OK        int     `json:"ok"`
	BestMS    float64 `json:"best_ms"` // to four digits
	Demanding bool    `json:"demanding"`
}

// other is a strategy of another tuner: by space the medians at Marks (0: not run), and the scores
// by evaluations and by time. eight are means over the demanding spaces.
type other struct {
	Strategy string               `json:"strategy"`
	Tool     string               `json:"tool"`
	Median   map[string][]float64 `json:"median"`
	Score    map[string][]float64 `json:"score"`
	Eight    struct {
		Median   []float64 `json:"median"`
		Quartile []float64 `json:"quartile"`
		Found    []float64 `json:"found"`
	} `json:"eight"`
	Nine []float64 `json:"nine"`
}

// Others are the recorded marks of other tuners.
type Others struct {
	Source     string  `json:"source"`
	Marks      []int   `json:"marks"`
	Spaces     []Known `json:"spaces"`
	Strategies []other `json:"strategies"`
}

// ReadOthers reads the marks that come with darwarp.
func ReadOthers() Others {
	var o Others
	if err := json.Unmarshal(othersJSON, &o); err != nil { // embedded
		panic(err)
	}
	return o
}

// Find recognises a space by its size, its failures and its optimum, whatever its file is called.
func (o Others) Find(r *replay.Record) (Known, bool) {
	ok, best := 0, math.Inf(1)
	for _, f := range r.Families {
		for i, s := range f.Status {
			if f.Outcomes[s] == kernels.OK {
				ok, best = ok+1, min(best, f.Times[i][0]/1e6)
			}
		}
	}
	i := slices.IndexFunc(o.Spaces, func(k Known) bool {
		return k.Configs == r.Len() && k.OK == ok && math.Abs(k.BestMS-best) < 1e-3*best
	})
	if i < 0 {
		return Known{}, false
	}
	return o.Spaces[i], true
}

// On lists the others' figures on a space, best first after 200 evaluations.
func (o Others) On(space string) []Figures {
	var out []Figures
	for _, s := range o.Strategies {
		f := Figures{Strategy: s.Strategy, Tool: s.Tool, Median: s.Median[space]}
		if v := s.Score[space]; v != nil {
			f.ByEvals, f.ByTime = &v[0], &v[1]
		}
		if f.Median != nil {
			out = append(out, f)
		}
	}
	return ranked(out)
}

// Demanding are the others' means over the eight demanding spaces, as recorded.
func (o Others) Demanding() []Figures {
	var out []Figures
	for _, s := range o.Strategies {
		if s.Eight.Median != nil {
			out = append(out, Figures{Strategy: s.Strategy, Tool: s.Tool, Median: s.Eight.Median, Quartile: s.Eight.Quartile,
				Found: s.Eight.Found})
		}
	}
	return ranked(out)
}

// Mean is the mean of figures over spaces, one list per space; strategies that are not on all of
// them are left out.
func Mean(spaces [][]Figures) []Figures {
	var out []Figures
	for _, f := range spaces[0] {
		var all []Figures
		for _, list := range spaces {
			if i := slices.IndexFunc(list, func(x Figures) bool {
				return x.Strategy == f.Strategy && x.Tool == f.Tool
			}); i >= 0 {
				all = append(all, list[i])
			}
		}
		if len(all) == len(spaces) {
			out = append(out, average(all))
		}
	}
	return out
}

// average leaves out what one of the figures does not have.
func average(all []Figures) Figures {
	f := Figures{Strategy: all[0].Strategy, Tool: all[0].Tool, Seeds: all[0].Seeds}
	f.Median = column(all, func(x Figures) []float64 { return x.Median })
	f.Quartile = column(all, func(x Figures) []float64 { return x.Quartile })
	f.Found = column(all, func(x Figures) []float64 { return x.Found })
	f.ByEvals = single(all, func(x Figures) *float64 { return x.ByEvals })
	f.ByTime = single(all, func(x Figures) *float64 { return x.ByTime })
	for _, x := range all {
		f.Worse = append(f.Worse, x.Worse...)
	}
	slices.Sort(f.Worse)
	f.Worse = slices.Compact(f.Worse)
	return f
}

// column is the mean by mark; the median of a mark that was not run is 0, and so is its mean.
func column(all []Figures, pick func(Figures) []float64) []float64 {
	sum := make([]float64, len(Marks))
	for _, x := range all {
		if pick(x) == nil {
			return nil
		}
		for i, v := range pick(x) {
			sum[i] += v / float64(len(all))
		}
	}
	for i := range sum {
		if slices.ContainsFunc(all, func(x Figures) bool { return x.Median[i] == 0 }) {
			sum[i] = 0
		}
	}
	return sum
}

func single(all []Figures, pick func(Figures) *float64) *float64 {
	sum := 0.0
	for _, x := range all {
		if pick(x) == nil {
			return nil
		}
		sum += *pick(x) / float64(len(all))
	}
	return &sum
}

// markAt is the mark by which figures are ranked: 200 evaluations.
const markAt = 2

func ranked(all []Figures) []Figures {
	slices.SortStableFunc(all, func(a, b Figures) int { return cmp.Compare(b.Median[markAt], a.Median[markAt]) })
	return all
}

// BestOf are the best figures of each column.
func BestOf(all []Figures) Figures {
	var f Figures
	for _, x := range all {
		f.Median, f.Quartile, f.Found = better(f.Median, x.Median), better(f.Quartile, x.Quartile), better(f.Found, x.Found)
		if x.ByEvals != nil && (f.ByEvals == nil || *x.ByEvals > *f.ByEvals) {
			f.ByEvals = x.ByEvals
		}
		if x.ByTime != nil && (f.ByTime == nil || *x.ByTime > *f.ByTime) {
			f.ByTime = x.ByTime
		}
	}
	return f
}

func better(a, b []float64) []float64 {
	if a == nil || b == nil {
		return append(a, b...)
	}
	out := slices.Clone(a)
	for i, v := range b {
		out[i] = max(out[i], v)
	}
	return out
}
