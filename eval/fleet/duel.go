package fleet

import (
	"context"
	"fmt"
	"slices"

	"darwarp/eval/internal/ratio"
	"darwarp/kernels"
)

// askAt asks one worker.
func (f *Fleet) askAt(ctx context.Context, m *member, req request) (answer, error) {
	req.Weights = f.facts.weighed()
	a, err := f.post.ask(ctx, f.names.To(m.name), req, f.roster.goneOf(m))
	_, err = f.answered(&a, err)
	return a, err
}

// askHome asks the worker where duels are fought and winners are measured.
func (f *Fleet) askHome(ctx context.Context, req request, jobs ...*kernels.Job) (a answer, home *member, err error) {
	for _, j := range jobs {
		packed, err := f.packer.pack(j)
		if err != nil {
			return a, nil, err
		}
		req.Jobs = append(req.Jobs, packed)
	}
	if home, err = f.roster.home(ctx); err != nil {
		return a, nil, err
	}
	a, err = f.askAt(ctx, home, req)
	return a, home, err
}

// askDuel has two sides fight at home.
func (f *Fleet) askDuel(ctx context.Context, req request, jobs ...*kernels.Job) (
	d kernels.Duel, home *member, err error) {
	a, home, err := f.askHome(ctx, req, jobs...)
	if err != nil {
		return d, nil, err
	}
	if a.Duel == nil {
		return d, nil, fmt.Errorf("%w: %s answered without a duel", kernels.ErrLost, home.name)
	}
	d = *a.Duel
	if err := d.Admit(); err != nil {
		return d, nil, fmt.Errorf("%w: %s: %w", kernels.ErrLost, home.name, err)
	}
	d.Provenance = home.key
	f.roster.hearNoise(home, a.Noise)
	return d, home, nil
}

// Duel compares two candidates at home. Its winner is timed by a second worker, too.
func (f *Fleet) Duel(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
	same, err := f.recompile(ctx, challenger)
	if err != nil {
		return kernels.Duel{}, err
	}
	d, home, err := f.askDuel(ctx, request{Do: doDuel}, champion, challenger)
	if err != nil {
		return d, err
	}
	if !same { // whoever judged it is not to blame for its times
		f.facts.forget(challenger.ID)
	}
	times := f.newSheet(challenger, false)
	why := f.doubt(ctx, times, home, &d)
	switch {
	case ctx.Err() != nil:
		return d, ctx.Err()
	case !f.roster.isHere(home):
		return d, fmt.Errorf("%w: %s, where the duel was, is left out", kernels.ErrLost, home.name)
	case why != "" && d.Verdict == kernels.Faster:
		d.Verdict, d.Detail = kernels.Ambiguous, kernels.CleanDetail(why)
	case d.Verdict == kernels.Faster:
		f.follow(times)
	}
	return d, nil
}

// doubt has a second worker time a winner, and looks into the times that a challenger was sent with where home finds
// them too short. why says why the duel is not believed.
func (f *Fleet) doubt(ctx context.Context, s *sheet, home *member, d *kernels.Duel) (why string) {
	c := f.facts.claimOf(s.job.ID)
	if others := f.roster.others(home, c.by); d.Verdict == kernels.Faster && home.times {
		if c.by != nil && c.by != home && f.roster.isHere(c.by) {
			others = []*member{c.by}
		}
		if len(others) > 0 {
			return f.settle(ctx, s, home, others[0], nil)
		}
	}
	if c.by != nil && c.by != home && f.roster.isHere(c.by) && home.times && f.tooShort(home, d, c.times) {
		if why := f.settle(ctx, s, home, c.by, c.times); why != "" {
			f.cfg.Say("%s", why)
		}
	}
	return ""
}

// tooShort reports whether the times that were claimed for a challenger are shorter than those in a duel. Where they
// are longer its worker had other work.
func (f *Fleet) tooShort(home *member, d *kernels.Duel, claimed []kernels.Timing) bool {
	of := f.roster.ratiosOf(home)
	return slices.ContainsFunc(d.Steady(), func(r kernels.DuelRound) bool {
		i := slices.IndexFunc(claimed, func(t kernels.Timing) bool { return t.Workload == r.Workload })
		if i < 0 || !(r.Challenger > 0) {
			return false
		}
		return r.Challenger*of.At(r.Workload).Of > ratio.Most*claimed[i].Median
	})
}

// follow times the winner of a duel on all workers, beside the search: it is about to be the champion. One that is
// overtaken before its turn is not.
func (f *Fleet) follow(s *sheet) {
	f.facts.succeed(s)
	f.work.Go(func() {
		f.comparing.Lock()
		defer f.comparing.Unlock()
		if f.facts.yardstick() == s {
			f.compareAll(f.ctx, s)
		}
	})
}

// Provenance is what duels and winners stand on: that of home.
func (f *Fleet) Provenance() kernels.Provenance {
	if all := f.roster.ready(); len(all) > 0 {
		return f.roster.proof(all[0])
	}
	if all := f.Provenances(); len(all) > 0 {
		return all[0]
	}
	return kernels.Provenance{Device: f.Device()}
}

// Provenances are those of all workers that ever joined.
func (f *Fleet) Provenances() (all []kernels.Provenance) {
	f.roster.mu.Lock()
	members := slices.Clone(f.roster.members)
	f.roster.mu.Unlock()
	for _, m := range slices.DeleteFunc(members, func(m *member) bool { return m.helps }) {
		all = append(all, f.roster.proof(m))
	}
	return all
}

// trial holds a would-be champion against more at home, and against what takes long on the last worker.
func (f *Fleet) trial(ctx context.Context, j *kernels.Job, parts ...kernels.TrialPart) (t kernels.Trial, err error) {
	packed, err := f.packer.pack(j)
	if err != nil {
		return t, err
	}
	m, err := f.roster.home(ctx)
	if err != nil {
		return t, err
	}
	if all := f.roster.ready(); len(all) > 0 && !slices.Contains(parts, kernels.TrialClasses) {
		m = all[len(all)-1]
	}
	a, err := f.askAt(ctx, m, request{Do: doTrial, Jobs: []*job{packed}, Parts: parts})
	if err == nil && a.Trial == nil {
		err = fmt.Errorf("%w: %s answered without a trial", kernels.ErrLost, m.name)
	}
	if err != nil {
		return t, err
	}
	t = *a.Trial
	if err := t.Admit(); err != nil {
		return t, fmt.Errorf("%w: %s: %w", kernels.ErrLost, m.name, err)
	}
	t.ID, t.Provenance = j.ID, m.key
	return t, nil
}

// control measures the noise at home.
func (f *Fleet) control(ctx context.Context, champion *kernels.Job) error {
	a, home, err := f.askHome(ctx, request{Do: doControl}, champion)
	if err == nil {
		f.roster.hearNoise(home, a.Noise)
	}
	return err
}

func (f *Fleet) pace(ctx context.Context, start, champion *kernels.Job) (kernels.Duel, error) {
	d, _, err := f.askDuel(ctx, request{Do: doPace}, start, champion)
	return d, err
}
