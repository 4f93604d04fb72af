package cases

import (
	"cmp"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// addWorkload adds the bank of a scored size and its trial classes, as far as the effort goes.
func (s *Set) addWorkload(w kernels.Workload) error {
	p, e, proved := s.want.Problem, s.want.Effort, s.want.Powers[w.Name]
	flops, _, err := p.Work(w.Dims, s.want.DType)
	if err != nil {
		return err
	}
	at := device.Case{Workload: w.Name, Dims: w.Dims, Class: cmp.Or(proved.Bank, p.Check.Inputs[0])}
	for i := range bankSize {
		at.Trial = i >= seedsPerWorkload
		if at.Trial && (flops*float64(i+1) > e.bank || s.full()) {
			break
		}
		if err := s.addTo(s.Banks, w, at); err != nil {
			return err
		}
	}
	if err := s.addWhole(w, proved.Whole); err != nil {
		return err
	}
	if proved.Tails {
		if err := s.Add(device.Case{Workload: w.Name, Dims: w.Dims, Class: kernels.Needles}); err != nil {
			return err
		}
	}
	if flops > e.trial {
		return nil
	}
	return s.addTrials(w, at.Class, proved, flops)
}

// addTo adds a case of a workload to one of its lists.
func (s *Set) addTo(list map[string][]int, w kernels.Workload, c device.Case) error {
	list[w.Name] = append(list[w.Name], len(s.List))
	return s.Add(c)
}
