package cases

import (
	"math"

	"darwarp/eval/internal/device"
)

// Watchable are cases to run under a tool that slows a candidate down: the first of each workload's bank, for what a
// kernel does at the scored size alone, then check shapes and drawn sizes; all as far as the work goes, which bounds
// them together, and each of them. Work is operations, or bytes where these are more.
func (s *Set) Watchable(all, each float64) (list []int) {
	scored, others := []int{}, []int{}
	for i, x := range s.List {
		switch {
		case x.Trial:
		case x.Workload == "":
			others = append(others, i)
		case s.Banks[x.Workload][0] == i:
			scored = append(scored, i)
		}
	}
	left := all
	for _, i := range append(scored, others...) {
		if work := s.workOf(&s.List[i]); work <= left && work <= each {
			list, left = append(list, i), left-work
		}
	}
	return list
}

// workOf is what a case takes: operations, or bytes where these are more.
func (s *Set) workOf(c *device.Case) float64 {
	work, _, err := s.want.Problem.Work(c.Dims, s.want.DType)
	if err != nil {
		return math.Inf(1)
	}
	return max(work, float64(c.ArenaBytes()))
}
