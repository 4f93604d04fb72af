package cases

import (
	"context"
	"fmt"
	"slices"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// wholeBits are how many bits whole numbers are tried with that have no range. The few that are far larger have seven
// more: from 18 on they have low bits that fp32 rounds off.
var wholeBits = []int{30, 24, 20, 19, 18, 17, 14, 11}

// rangeless reports whether there are int32 inputs of which the problem does not say how large they may be. One that
// does without huge numbers has none.
func (w *Wanted) rangeless() bool {
	return !slices.Contains(w.Problem.Check.Without, "huge") &&
		slices.ContainsFunc(w.Problem.Tensors, func(t kernels.Tensor) bool {
			return t.Role == "in" && t.DType == kernels.I32 && !t.Drawn()
		})
}

// whole is up to where whole numbers may go without a range: as far as no output, nor the sum of magnitudes of its
// terms, comes near what an int32 holds. 0: nowhere.
func (q *Prover) whole(ctx context.Context, size kernels.Dims) (float64, error) {
	if !q.rangeless() {
		return 0, nil
	}
	for _, bits := range wholeBits {
		p, err := q.proof(size, "normal")
		if err != nil {
			return 0, err
		}
		p.Case.Whole = float64(int(1) << bits)
		got, err := q.Ask(ctx, p)
		if err != nil {
			return 0, err
		}
		if got.Largest < 1<<30 {
			return p.Case.Whole, nil
		}
	}
	return 0, nil
}

// addWhole adds cases of large whole numbers: the size at which it was tried how large they may be, for every
// candidate, and on trial the workload. Shorter sums could be kept in fp32, exact up to 2^24, and nobody would see.
func (s *Set) addWhole(w kernels.Workload, whole float64) error {
	if whole == 0 {
		return nil
	}
	list := []device.Case{{Dims: s.want.smallest(w.Dims)}}
	flops, _, err := s.want.Problem.Work(w.Dims, s.want.DType)
	if err == nil && flops <= s.want.Effort.trial {
		list = append(list, device.Case{Workload: w.Name, Dims: w.Dims, Trial: true})
	}
	for _, c := range list {
		c.Class, c.Whole = "normal", whole
		add := s.Add
		if c.Trial {
			add = func(c device.Case) error { return s.addTo(s.Trials, w, c) }
		}
		if err := add(c); err != nil {
			return fmt.Errorf("whole numbers: %w", err)
		}
	}
	return nil
}
