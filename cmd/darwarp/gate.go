package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/gatetest"
	"darwarp/cmd/darwarp/internal/session"
)

func (a *app) gateCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "gate",
		Short: "Test the gate itself, with cheats and with odd but honest kernels",
		Args:  noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.gateTestCmd())
	return c
}

func (a *app) gateTestCmd() *cobra.Command {
	var t session.Target
	var which gatetest.Filter
	var asJSON bool
	c := &cobra.Command{
		Use:   "test",
		Short: "Send the shipped cheats and honest kernels through the real gate on this device",
		Args:  noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			stop := console.OnInterrupt(c.Context())
			defer stop.Release()
			return stop.Explain(a.gateTest(stop.Soft, t, which, asJSON))
		},
	}
	c.Flags().StringVar(&t.Device, "device", "auto", "auto, cuda or cpu")
	c.Flags().IntVar(&t.Jobs, "jobs", 0, "compiles at once (0: one a core)")
	c.Flags().StringVar(&t.Sandbox, "sandbox", "best", "best, strict or off")
	c.Flags().BoolVar(&which.Short, "short", false, "only those that every search begins with")
	c.Flags().StringSliceVar(&which.Problems, "problem", nil, "only the kernels of these problems")
	c.Flags().StringSliceVar(&which.Kinds, "kind", nil, "only cheats of these kinds, or honest")
	c.Flags().StringSliceVar(&which.Kernels, "kernel", nil, "only the kernels of these names")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (a *app) gateTest(ctx context.Context, t session.Target, which gatetest.Filter, asJSON bool) error {
	if t.Device == "replay" {
		return exit.Usagef("--device replay: a recording has no gate: expected auto, cuda or cpu")
	}
	if err := which.Check(); err != nil {
		return exit.Usagef("%v", err)
	}
	r, err := a.tryGate(ctx, t, which)
	if err != nil && len(r.Verdicts) == 0 {
		return err
	}
	if asJSON { // also of what was tried before something went wrong
		err = errors.Join(err, a.PrintJSON(r))
	} else {
		a.gateText(r)
	}
	if err == nil && !r.ok() {
		err = exit.Quietly(exit.Failed)
	}
	return err
}

// tryGate sends the test kernels through the gate of a device, one problem after the other.
func (a *app) tryGate(ctx context.Context, t session.Target, which gatetest.Filter) (*gateReport, error) {
	r := newGateReport()
	for _, problem := range gatetest.Problems() {
		if err := a.tryProblem(ctx, t, which, problem, r); err != nil {
			return r, fmt.Errorf("problem %s: %w", problem, err)
		}
	}
	if len(r.Verdicts) == 0 {
		return r, exit.Usagef("no kernel of the test is all of that and exists on this device")
	}
	return r, nil
}

func (a *app) tryProblem(ctx context.Context, t session.Target, which gatetest.Filter, problem string, r *gateReport) (err error) {
	if !which.Has(problem) {
		return nil
	}
	if t.Bundle, err = gatetest.Bundle(problem); err != nil {
		return err
	}
	s, err := session.Open(ctx, t, a.Sayf)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	cases, err := which.Cases(t.Bundle, s.Device())
	if err != nil {
		return err
	}
	a.Sayf("%s: %d kernels ...", problem, len(cases))
	verdicts, err := gate{s}.judgeAll(ctx, cases)
	if err != nil {
		return err
	}
	r.Device = s.Device().Label()
	for _, v := range verdicts {
		r.add(v)
	}
	return nil
}

// proveGate sends the short test through the gate of the device that a search is about to use. A cheat
// that passes, or an honest kernel that does not, means that no verdict of this device can be believed.
func (a *app) proveGate(ctx context.Context, f *searchFlags, s *session.Session) error {
	kind := s.Device().Kind
	if !f.gateTest || kind == "replay" {
		return nil
	}
	t := session.Target{Device: kind, Jobs: f.Jobs, Sandbox: f.Sandbox, Log: f.Log}
	r, err := (&app{Console: a.Quiet()}).tryGate(ctx, t, gatetest.Filter{Short: true})
	if err != nil {
		return fmt.Errorf("test of the gate: %w", err)
	}
	if r.ok() {
		a.Sayf("%s", r.line())
		return nil
	}
	for _, v := range r.Verdicts {
		if !v.Held {
			return fmt.Errorf("%s: of the %s kernel %s it said %s, expected %s. Nothing is searched with a gate like that: "+
				"darwarp gate test --device %s tells more", r.line(), v.Family, v.Name, v.Said, v.wants(), kind)
		}
	}
	return nil
}
