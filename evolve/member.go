package evolve

import (
	"darwarp/kernels"
)

// member is a candidate that works.
type member struct {
	id         kernels.ID
	parents    []kernels.ID
	born       int    // 1, 2, ... in the order in which they came
	code       string // hash of its machine code
	variant    kernels.Variant
	deme       deme
	index      int     // in its space, -1: it is no point of one
	score      float64 // by the workloads' weights that are in force
	upper      float64 // score at the upper ends of its intervals
	times      map[string]float64
	timings    []kernels.Timing
	generation int
	resources  []kernels.Resources
}

// before orders members by score; of equals the older comes first.
func (m *member) before(o *member) int {
	switch {
	case m.score < o.score:
		return -1
	case m.score > o.score:
		return 1
	}
	return m.born - o.born
}

// task asks for a member's job again.
func (m *member) task() *task { return m.deme.task(m) }

func medians(times []kernels.Timing) map[string]float64 {
	out := map[string]float64{}
	for _, t := range times {
		out[t.Workload] = t.Median
	}
	return out
}

// uppers are the times with the upper ends of their intervals as medians.
func uppers(times []kernels.Timing) []kernels.Timing {
	out := make([]kernels.Timing, len(times))
	for i, t := range times {
		out[i] = kernels.Timing{Workload: t.Workload, Median: t.Hi}
	}
	return out
}
