package measure

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/kernels"
	"darwarp/store"
)

// End is a search that has ended, and what is measured then.
type End struct {
	Session   *session.Session
	Publisher kernels.Publisher
	Run       *store.Run
	Baselines []string // only these; empty: all that the problem has
	Say       func(string, ...any)
	Watch     *progress.Watch // learns where time goes; nil: nobody does
}

// Final measures the winner, the naive start and the baselines on fresh data, and stores each as soon as it is
// measured. The winner's times are kept among the baselines' under its short ID, for a stored candidate does not
// change. What takes longest comes last, since the time may end: baselines that compile, then compute-sanitizer.
func (e *End) Final(ctx context.Context, champion kernels.ID) error {
	winner, err := e.Run.Get(champion)
	if err != nil {
		return err
	}
	best, err := e.Session.Bundle.VariantJob(winner.Variant, e.Session.Device(), e.Session.DType)
	if err != nil {
		return err
	}
	defer progress.Phase(e.Say, "measuring the winner again, beside the baselines")()
	e.Watch.Begin("measuring the winner")
	own, err := e.keep(ctx, kernels.BaselineResult{Name: winner.ID.Short()}, &best)
	if err != nil {
		return err
	}
	if err := e.keepStart(ctx, &best); err != nil {
		return err
	}
	if err := e.keepBaselines(ctx, &best); err != nil {
		return err
	}
	return e.keepSanitized(ctx, own, &best)
}

// keepStart measures the naive start, and duels the winner with it.
func (e *End) keepStart(ctx context.Context, best *kernels.Job) error {
	start := e.Session.Spaces[0].Family
	naive, err := e.Session.Bundle.Job(start, start.Defaults(), e.Session.Device(), e.Session.DType)
	if err != nil || naive.ID == best.ID {
		return err
	}
	e.Watch.Begin("measuring the naive start")
	b := kernels.BaselineResult{Name: kernels.NaiveStart, Kind: kernels.BaselineName}
	if _, err := e.keep(ctx, b, &naive); err != nil {
		return err
	}
	d, err := e.Publisher.Versus(ctx, &naive, best, e.Session.Cache)
	if err != nil {
		return fmt.Errorf("the winner against the naive start: %w", err)
	}
	d.Champion, d.ChampionKind = kernels.NaiveStart, kernels.BaselineName
	return e.keepDuel(d)
}

// keepSanitized has compute-sanitizer watch the winner, unless it has done so on trial, and adds that to its own times.
func (e *End) keepSanitized(ctx context.Context, own kernels.BaselineResult, best *kernels.Job) error {
	tried, err := e.Run.Trial(best.ID)
	if err != nil || tried.Part(kernels.TrialSanitized).Verdict != kernels.Pending {
		return err
	}
	e.Watch.Begin("compute-sanitizer")
	own.Sanitized, err = sanitize(ctx, e.Session, best, e.Say)
	if err != nil || len(own.Sanitized) == 0 {
		return err
	}
	return e.Run.PutBaseline(own)
}

// sanitize has compute-sanitizer watch a winner, where it is installed, and says what it found.
func sanitize(
	ctx context.Context, s *session.Session, job *kernels.Job, say func(string, ...any),
) ([]kernels.Sanitized, error) {
	watch := s.Capabilities().Sanitize
	if watch == nil {
		return nil, nil
	}
	found, why, err := watch(ctx, job)
	if err != nil {
		return nil, err
	}
	if why != "" {
		say("accesses not watched: %s", why)
		return nil, nil
	}
	say("compute-sanitizer: %s", kernels.SanitizedText(found))
	return found, nil
}

// keep measures a candidate and stores its times under a name.
func (e *End) keep(ctx context.Context, b kernels.BaselineResult, job *kernels.Job) (kernels.BaselineResult, error) {
	r, err := e.Publisher.Final(ctx, job)
	if err != nil {
		return b, err
	}
	if r.Outcome != kernels.OK {
		return b, fmt.Errorf("candidate %s was right in the search and is no longer (%s): %s", job.ID.Short(),
			r.Outcome, r.Detail)
	}
	if _, err := e.Run.PutProvenance(e.Publisher.Provenance()); err != nil {
		return b, err
	}
	b.Times, b.Provenance = r.Times, r.Provenance
	return b, e.Run.PutBaseline(b)
}

func (e *End) keepDuel(d kernels.Duel) error {
	if _, err := e.Run.PutProvenance(e.Publisher.Provenance()); err != nil {
		return err
	}
	return e.Run.PutDuel(d)
}

// keepBaselines measures what a user would run instead, one after the other, and duels the winner with each.
func (e *End) keepBaselines(ctx context.Context, best *kernels.Job) error {
	missing := map[string]string{}
	defer func() { sayMissing(missing, e.Say) }()
	for _, name := range inTurn(e.Session.Bundle.Problem.Baselines, e.Baselines) {
		e.Watch.Begin("measuring " + name)
		lacks, err := e.Publisher.FindBaseline(ctx, name)
		if err != nil {
			return err
		}
		if maps.Copy(missing, lacks); missing[name] != "" {
			continue
		}
		if err := e.keepBaseline(ctx, name, best); err != nil {
			return err
		}
	}
	return nil
}

// inTurn are the names of baselines, or of those of a choice, in the order of being measured: those that compile come
// last.
func inTurn(all []kernels.Baseline, chosen []string) (names []string) {
	for _, compiles := range []bool{false, true} {
		for i := range all {
			if b := &all[i]; b.Compiles() == compiles && (len(chosen) == 0 || slices.Contains(chosen, b.Name)) {
				names = append(names, b.Name)
			}
		}
	}
	return names
}

// keepBaseline times a baseline and duels the winner with it, cold and hot: it has just been timed cold, and is ready
// for that.
func (e *End) keepBaseline(ctx context.Context, name string, best *kernels.Job) error {
	b, err := e.Publisher.BaselineTimes(ctx, name)
	if err != nil {
		return err
	}
	b.About = e.Publisher.About(name, b.Times[0].Workload)
	if err := e.Run.PutBaseline(b); err != nil {
		return err
	}
	for _, cache := range []string{"cold", "hot"} {
		d, err := e.Publisher.Compare(ctx, name, best, cache)
		if err != nil {
			return fmt.Errorf("the winner against %s: %w", name, err)
		}
		if err := e.keepDuel(d); err != nil {
			return err
		}
	}
	return nil
}

// sayMissing says which baselines are not compared, those that lack the same in one line.
func sayMissing(missing map[string]string, say func(string, ...any)) {
	names := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		names[missing[name]] = append(names[missing[name]], name)
	}
	for _, why := range slices.Sorted(maps.Keys(names)) {
		say("not compared: baseline %s: %s", strings.Join(names[why], ", "), why)
	}
}

// KeepNaive makes the search's own times of the naive start the baseline of a run that was not
// measured again.
func KeepNaive(run *store.Run) error {
	all, err := run.Baselines()
	if err != nil || len(all) > 0 {
		return err
	}
	start, err := run.Start()
	if err != nil || start == nil {
		return err
	}
	return run.PutBaseline(kernels.BaselineResult{Name: kernels.NaiveStart, Kind: kernels.BaselineName,
		About: "the naive start",
		Times: start.Result.Times, Provenance: start.Result.Provenance})
}
