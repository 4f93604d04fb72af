package gatecheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"darwarp/cmd/darwarp/internal/gatetest"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/kernels"
)

// testBar is longer than any of the test kernels takes on any device, in ns a call.
const testBar = 5e6

// gate is a device whose gate is tested.
type gate struct{ *session.Session }

// judgeAll sends the cases through the gate, in their order, and those that it accepts and that fall later at the
// latest through what follows.
func (s gate) judgeAll(ctx context.Context, cases []gatetest.Case) ([]Verdict, error) {
	out := make([]Verdict, len(cases))
	at := map[kernels.ID]int{}
	bar := s.gateBar()
	var todo []session.Point
	for i, c := range cases {
		j, p, err := s.testJob(c.Family, c.Genes)
		if err != nil {
			return nil, err
		}
		p.Bar = bar
		at[j.ID] = i
		todo = append(todo, p)
	}
	for v := range s.EvaluateAll(ctx, slices.Values(todo)) {
		if v.Err != nil {
			return nil, v.Err
		}
		i := at[v.C.ID]
		c, r := cases[i], v.C.Result
		out[i] = Verdict{
			Problem: c.Problem, Family: c.Family, Name: c.Name, Kind: c.Kind, Stage: c.Stage, About: c.About, Want: c.Want,
			Outcome: r.Outcome, Said: r.Outcome.String(), Detail: r.Detail, Held: c.Holds(r.Outcome),
		}
	}
	return out, s.judgeLater(ctx, cases, out)
}

// judgeLater sends the cheats that the gate accepted into what must stop them: duels one after the other, as they are
// about times, and then trials side by side.
func (s gate) judgeLater(ctx context.Context, cases []gatetest.Case, verdicts []Verdict) error {
	todo := map[gatetest.Stage][]func() error{}
	for i, c := range cases {
		v := &verdicts[i]
		if v.Outcome != kernels.OK || c.Stage == gatetest.Gate {
			continue
		}
		cheat, _, err := s.testJob(c.Family, c.Genes)
		if err != nil {
			return err
		}
		todo[c.Stage] = append(todo[c.Stage], func() error {
			if c.Stage == gatetest.Duel {
				return s.duelCheat(ctx, c, &cheat, v)
			}
			return s.tryCheat(ctx, &cheat, v)
		})
	}
	return errors.Join(side(1, todo[gatetest.Duel]), side(trialsAtOnce, todo[gatetest.Trial]), ctx.Err())
}

// trialsAtOnce is how many cheats are on trial at a time: most of it are processes of other programs.
const trialsAtOnce = 4

// side does all side by side, so many at a time.
func side(most int, all []func() error) error {
	errs := make([]error, len(all))
	slots := make(chan struct{}, most)
	var wg sync.WaitGroup
	for i, do := range all {
		slots <- struct{}{}
		wg.Go(func() {
			errs[i] = do()
			<-slots
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// gateBar gives a kernel that never ends up soon.
func (s gate) gateBar() *kernels.Bar {
	times := map[string]float64{}
	for _, w := range s.Workloads {
		times[w.Name] = testBar
	}
	return kernels.NewBar(times)
}

func (s gate) testJob(family string, genes kernels.Genome) (kernels.Job, session.Point, error) {
	f, err := s.Bundle.Family(family)
	if err != nil {
		return kernels.Job{}, session.Point{}, err
	}
	j, err := s.Bundle.Job(f, genes, s.Device(), s.DType)
	return j, session.Point{Family: f, Genes: genes}, err
}

// duelCheat holds a cheat that the gate accepted against the honest kernel of its problem.
func (s gate) duelCheat(ctx context.Context, c gatetest.Case, cheat *kernels.Job, v *Verdict) error {
	honest, _, err := s.testJob(c.Family, c.Rival)
	if err != nil {
		return err
	}
	d, err := s.Duel(ctx, &honest, cheat)
	if err != nil {
		return err
	}
	v.Held = d.Verdict != kernels.Faster && d.Culprit != kernels.TheChampion
	v.Said = fmt.Sprintf("ok, then %s", d.Verdict)
	v.Detail = fmt.Sprintf("%.3f of the honest kernel's time (%.3f to %.3f) %s", d.Ratio, d.Lo, d.Hi, d.Detail)
	switch {
	case d.Culprit == kernels.TheChampion:
		v.Said, v.Detail = "ok, then the honest one "+d.Outcome.String(), d.Detail
	case d.Culprit == kernels.TheChallenger:
		v.Said, v.Detail = "ok, then "+d.Outcome.String(), d.Detail
	case d.Hi > 1e6:
		v.Detail = "the machine stayed too noisy"
	}
	return nil
}

// tryCheat puts a cheat on trial that the gate accepted.
func (s gate) tryCheat(ctx context.Context, cheat *kernels.Job, v *Verdict) error {
	try := s.Capabilities().Trial
	if try == nil {
		v.Said, v.Detail = "ok, then not tried", "this device has no trials"
		return nil
	}
	t, err := try(ctx, cheat, kernels.WholeTrial...)
	if err != nil {
		return err
	}
	if f := t.Fault(); f != nil {
		v.Held, v.Said, v.Detail = true, "ok, then fell", fmt.Sprintf("%s: %s", f.Part, f.Detail)
		return nil
	}
	v.Said, v.Detail = "ok, then stood", t.Text()
	return nil
}
