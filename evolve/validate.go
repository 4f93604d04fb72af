package evolve

import (
	"errors"
	"fmt"
	"math"

	"darwarp/kernels"
)

// validateResult refuses a result that is no verdict, and replaces figures that JSON cannot say.
func validateResult(r *kernels.Result) error {
	r.Detail = kernels.CleanDetail(r.Detail)
	switch {
	case r.Outcome == kernels.Lost:
		return errors.New(r.Detail)
	case r.Outcome == kernels.Unknown || r.Outcome > kernels.Lost:
		return errors.New("the evaluator gave no verdict")
	case !finite(r.Cost.Compile, r.Cost.Gate, r.Cost.Time, r.Cost.Wait):
		return fmt.Errorf("the evaluator gave cost %+v", r.Cost)
	}
	if g := r.Gate; g != nil { // an output of NaN is infinitely wrong
		clean := *g
		clean.Worst, clean.Frobenius = clamp(g.Worst), clamp(g.Frobenius)
		r.Gate = &clean
	}
	return nil
}

// validateDuel makes a duel fit to be stored: one that does not say what it claims decides nothing.
func validateDuel(d *kernels.Duel) {
	ok := finite(d.Ratio, d.Lo, d.Hi) && d.Ratio > 0
	for _, r := range d.Rounds {
		ok = ok && finite(r.Champion, r.Challenger, r.Ratio, r.Lo, r.Hi)
	}
	if !ok {
		d.Ratio, d.Lo, d.Hi, d.Rounds = 0, 0, 0, nil
	}
	switch d.Verdict {
	case kernels.Slower, kernels.Same:
	case kernels.Faster:
		ok = ok && d.Ratio < 1
	default:
		ok = false
	}
	if !ok {
		d.Verdict = kernels.Ambiguous
	}
}

func finite(all ...float64) bool {
	for _, v := range all {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

func clamp(v float64) float64 {
	if math.IsNaN(v) {
		return math.MaxFloat64
	}
	return max(-math.MaxFloat64, min(v, math.MaxFloat64))
}

// validateDoubts drops what an evaluator must not say: a failure that is none.
func validateDoubts(parts []kernels.Doubt) (all []kernels.Doubt) {
	for _, d := range parts {
		switch d.Verdict {
		case kernels.Failed:
			if !d.Outcome.Failed() {
				d.Outcome = kernels.Suspect
			}
		case kernels.Passed, kernels.Impossible:
		default:
			continue
		}
		d.Detail = kernels.CleanDetail(d.Detail)
		all = append(all, d)
	}
	return all
}
