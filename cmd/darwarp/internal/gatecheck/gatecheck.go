// Package gatecheck sends the kernels of package gatetest through the gate of a device, and reports what became of
// them.
package gatecheck

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/gatetest"
	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/eval"
)

// Run sends the test kernels through the gate of a device, one problem after the other. One whose check is not fit to
// use is an error in the end, and the others are tested all the same.
func Run(ctx context.Context, t session.Target, which gatetest.Filter, say func(string, ...any)) (*Report, error) {
	r := newReport()
	var unfit error
	for _, problem := range gatetest.Problems() {
		err := testProblem(ctx, t, which, problem, r, say)
		if err != nil {
			err = fmt.Errorf("problem %s: %w", problem, err)
		}
		if err != nil && !errors.Is(err, eval.ErrUnfit) {
			return r, errors.Join(unfit, err)
		}
		unfit = errors.Join(unfit, err)
	}
	if unfit != nil {
		return r, unfit
	}
	if len(r.Verdicts) == 0 {
		return r, exit.Usagef("no kernel of the test matches all of these on this device")
	}
	return r, nil
}

func testProblem(
	ctx context.Context, t session.Target, which gatetest.Filter, problem string, r *Report, say func(string, ...any),
) (err error) {
	if !which.Has(problem) {
		return nil
	}
	if t.Bundle, err = gatetest.Bundle(problem); err != nil {
		return err
	}
	s, err := session.Open(ctx, t, say)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	cases, err := which.Cases(t.Bundle, s.Device())
	if err != nil {
		return err
	}
	defer progress.Phase(say, fmt.Sprintf("%s: %s", problem, report.Quantity(len(cases), "kernel")))()
	verdicts, err := gate{s, which}.judgeAll(ctx, cases)
	if err != nil {
		return err
	}
	r.Device = s.Device().Label()
	for _, v := range verdicts {
		if r.add(v); !v.Held { // at once, so that an end before the last problem loses no name
			say("%s", v.missed())
		}
	}
	return nil
}

// Prove sends the short test through the gate of the device that a session is of, which a search is
// about to use. A cheat that passes, or an honest kernel that does not, means that no verdict of this device can be
// believed.
func Prove(ctx context.Context, on session.Target, s *session.Session, say func(string, ...any)) error {
	kind := s.Device().Kind
	if kind == "replay" {
		return nil
	}
	t := session.Target{Device: kind, Work: session.Work{Jobs: on.Jobs, Sandbox: on.Sandbox}, Log: on.Log}
	if kind == "cuda" {
		t.GPUs = strconv.Itoa(s.Provenance().GPU)
	}
	end := progress.Phase(say, "testing the gate with cheats and honest kernels")
	r, err := Run(ctx, t, gatetest.Filter{Short: true}, func(string, ...any) {})
	end()
	if err != nil {
		return fmt.Errorf("test of the gate: %w", err)
	}
	if r.OK() {
		say("%s", r.line())
		return nil
	}
	for _, v := range r.Verdicts {
		if !v.Held {
			return fmt.Errorf("%s: the %s kernel %s was %s, expected %s. No search starts with such a gate; "+
				"darwarp gate test --device %s says more", r.line(), v.Family, v.Name, v.Said, v.wants(), kind)
		}
	}
	return nil
}
