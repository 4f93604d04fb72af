package main

import (
	"context"
	"fmt"
	"slices"

	"darwarp/cmd/darwarp/internal/gatetest"
	"darwarp/kernels"
)

// gateTestBar is longer than any of the test kernels takes on any device, in ns a call.
const gateTestBar = 5e6

// judgeAll sends the cases through the gate, in their order, and those that it accepts and that fall later at the latest
// through what follows.
func (s *session) judgeAll(ctx context.Context, cases []gatetest.Case) ([]gateVerdict, error) {
	out := make([]gateVerdict, len(cases))
	at := map[kernels.ID]int{}
	bar := s.gateBar()
	var todo []point
	for i, c := range cases {
		j, p, err := s.testJob(c.Family, c.Genes)
		if err != nil {
			return nil, err
		}
		p.bar = bar
		at[j.ID] = i
		todo = append(todo, p)
	}
	for v := range evaluateAll(ctx, s, slices.Values(todo)) {
		if v.err != nil {
			return nil, v.err
		}
		i := at[v.c.ID]
		c, r := cases[i], v.c.Result
		out[i] = gateVerdict{
			Problem: c.Problem, Family: c.Family, Name: c.Name, Kind: c.Kind, Stage: c.Stage, About: c.About, Want: c.Want,
			Outcome: r.Outcome, Said: r.Outcome.String(), Detail: r.Detail, Held: c.Holds(r.Outcome),
		}
	}
	for i, c := range cases {
		if err := s.judgeLater(ctx, c, &out[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return out, ctx.Err()
}

// gateBar gives a kernel that never ends up soon.
func (s *session) gateBar() *kernels.Bar {
	times := map[string]float64{}
	for _, w := range s.workloads {
		times[w.Name] = gateTestBar
	}
	return kernels.NewBar(times)
}

func (s *session) testJob(family string, genes kernels.Genome) (kernels.Job, point, error) {
	f, err := s.bundle.Family(family)
	if err != nil {
		return kernels.Job{}, point{}, err
	}
	j, err := s.bundle.Job(f, genes, s.Device(), s.dtype)
	return j, point{family: f, genes: genes}, err
}

// judgeLater sends a cheat that the gate accepted into its duel or its trial.
func (s *session) judgeLater(ctx context.Context, c gatetest.Case, v *gateVerdict) error {
	if v.Outcome != kernels.OK || c.Stage == gatetest.Gate || ctx.Err() != nil {
		return nil
	}
	cheat, _, err := s.testJob(c.Family, c.Genes)
	if err != nil {
		return err
	}
	if c.Stage == gatetest.Trial {
		return s.tryCheat(ctx, &cheat, v)
	}
	honest, _, err := s.testJob("honest", c.Rival)
	if err != nil {
		return err
	}
	d, err := s.Duel(ctx, &honest, &cheat)
	if err != nil {
		return err
	}
	v.Held = d.Verdict != kernels.Faster
	v.Said = fmt.Sprintf("ok, then %s", d.Verdict)
	v.Detail = fmt.Sprintf("%.3f of the honest kernel's time (%.3f to %.3f)", d.Ratio, d.Lo, d.Hi)
	if d.Ratio == 0 {
		v.Detail = "one of the two faulted in the duel"
	}
	return nil
}

// doubter is an evaluator that puts would-be champions on trial.
type doubter interface {
	// Doubt is what speaks against the candidate; empty: nothing was found.
	Doubt(ctx context.Context, job *kernels.Job) (string, error)
}

// tryCheat puts a cheat on trial that the gate accepted.
func (s *session) tryCheat(ctx context.Context, cheat *kernels.Job, v *gateVerdict) error {
	d, ok := s.Evaluator.(doubter)
	if !ok {
		v.Said, v.Detail = "ok, then not tried", "this device puts nobody on trial"
		return nil
	}
	found, err := d.Doubt(ctx, cheat)
	if err != nil {
		return err
	}
	v.Held, v.Said, v.Detail = found != "", "ok, then refused", found
	if !v.Held {
		v.Said = "ok, then stood its trial"
	}
	return nil
}
