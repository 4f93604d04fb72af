package htmlreport

import (
	"slices"

	"darwarp/kernels"
)

// measure is what charts draw as a candidate's time: that of the workload that decides, or, where several do, the
// objective over the naive start's.
type measure struct {
	Label    string
	workload string // empty: the objective
	cache    string
	unit     float64 // ns
}

// measure picks the unit in which the fastest time has few digits.
func (in *Input) measure(shown []kernels.Candidate) measure {
	m := measure{Label: "time over the naive start's", unit: 1}
	deciding := in.Meta.Objective.Deciding(in.Meta.Workloads)
	if len(deciding) != 1 {
		return m
	}
	m.workload, m.cache = in.Meta.Workloads[deciding[0]].Name, in.Meta.Cache
	least := 0.0
	for _, c := range shown {
		if t := m.of(c); t > 0 && (least == 0 || t < least) {
			least = t
		}
	}
	name := "ns"
	for _, larger := range []string{"us", "ms", "s"} {
		if least/m.unit < 1000 {
			break
		}
		m.unit, name = 1000*m.unit, larger
	}
	m.Label = "time, " + name
	if in.Meta.Device.Kind == "cpu" {
		m.Label = "CPU time, " + name
	}
	return m
}

// of is a candidate's time in the measure's unit, 0 where it has none.
func (m measure) of(c kernels.Candidate) float64 {
	if m.workload == "" {
		return round(c.Score)
	}
	for _, t := range c.Result.Times {
		if t.Workload == m.workload && t.Cache == m.cache {
			return round(t.Median / m.unit)
		}
	}
	return 0
}

// EDF is an empirical distribution of times: what share of all candidates is at least that fast. Those that failed
// never are, so it ends at the share of the right ones.
type EDF struct {
	Name   string       `json:"name,omitempty"` // of the run, among several
	Index  int          `json:"index"`          // of the run
	Label  string       `json:"label"`
	Points [][2]float64 `json:"points"` // time, share of all that were judged
	All    int          `json:"all"`    // candidates
}

// shownEDF bounds the points of a distribution: a step of a quarter of a percent is about a pixel.
const shownEDF = 400

// edf is nil where there is nothing to distribute.
func edf(m measure, all int, shown []kernels.Candidate) *EDF {
	var times []float64
	for _, c := range shown {
		if t := m.of(c); t > 0 {
			times = append(times, t)
		}
	}
	if len(times) < 2 {
		return nil
	}
	slices.Sort(times)
	e := &EDF{Label: m.Label, All: all}
	for _, i := range spread(len(times), shownEDF) {
		e.Points = append(e.Points, [2]float64{times[i], round(float64(i+1) / float64(all))})
	}
	return e
}

// spread is at most so many indices below n, evenly, the first and the last among them.
func spread(n, most int) []int {
	out := make([]int, min(n, most))
	for i := range out {
		out[i] = i
		if n > most {
			out[i] = i * (n - 1) / (most - 1)
		}
	}
	return out
}

// thin keeps the first best of a list and at most so many of all others, evenly.
func thin[T any](all []T, best, others int) []T {
	best = min(best, len(all))
	out := slices.Clone(all[:best])
	for _, i := range spread(len(all)-best, others) {
		out = append(out, all[best+i])
	}
	return out
}
