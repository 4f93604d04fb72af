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
type gate struct {
	*session.Session
	which gatetest.Filter
}

// judgeAll sends the cases through the gate, in their order, and those that it accepts and that fall later at the
// latest through what follows.
func (s gate) judgeAll(ctx context.Context, cases []gatetest.Case) ([]Verdict, error) {
	out := make([]Verdict, len(cases))
	at := map[kernels.ID]int{}
	var todo []session.Point
	for i, c := range cases {
		j, p, err := s.testJob(c.Family, c.Genes)
		if err != nil {
			return nil, err
		}
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
// about times, and then trials side by side, together with honest kernels if that was asked for.
func (s gate) judgeLater(ctx context.Context, cases []gatetest.Case, verdicts []Verdict) error {
	todo := map[gatetest.Stage][]func() error{}
	for i, c := range cases {
		v := &verdicts[i]
		parts := s.which.Parts(c)
		if v.Outcome != kernels.OK || c.Stage == gatetest.Gate && (c.Family != "honest" || len(parts) == 0) {
			continue
		}
		stage := gatetest.Trial
		if c.Stage == gatetest.Duel {
			stage = c.Stage
		}
		cheat, _, err := s.testJob(c.Family, c.Genes)
		if err != nil {
			return err
		}
		todo[stage] = append(todo[stage], func() error {
			if stage == gatetest.Duel {
				return s.duelCheat(ctx, c, &cheat, v)
			}
			return s.try(ctx, &cheat, parts, v)
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

// gateBar gives a kernel that never ends up soon, wherever it is run: at the gate, in its duel and on trial.
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
	j.Bar = s.gateBar()
	return j, session.Point{Family: f, Genes: genes, Bar: j.Bar}, err
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

// try puts a kernel on trial that the gate accepted: a cheat must fall, and an honest one must not.
func (s gate) try(ctx context.Context, job *kernels.Job, parts []kernels.TrialPart, v *Verdict) error {
	try := s.Capabilities().Trial
	if try == nil {
		v.Said, v.Detail = "ok, then not tried", "this device has no trials"
		return nil
	}
	t, err := try(ctx, job, parts...)
	if err != nil {
		return err
	}
	f := t.Fault()
	v.Held = (f == nil) == (v.Family == "honest")
	v.Said, v.Detail = "ok, then stood", t.Text()
	if f != nil {
		v.Said, v.Detail = "ok, then fell", fmt.Sprintf("%s: %s", f.Part, f.Detail)
	}
	return nil
}
