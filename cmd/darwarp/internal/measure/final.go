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

// Final measures the winner, the naive start and the baselines on fresh data, and stores what
// it finds. The winner's times are kept among the baselines' under its short ID, for a stored
// candidate does not change.
func Final(
	ctx context.Context, f kernels.Publisher, s *session.Session, run *store.Run, champion kernels.ID,
	say func(string, ...any),
) error {
	winner, err := run.Get(champion)
	if err != nil {
		return err
	}
	best, err := s.Bundle.VariantJob(winner.Variant, s.Device(), s.DType)
	if err != nil {
		return err
	}
	start := s.Spaces[0].Family
	naive, err := s.Bundle.Job(start, start.Defaults(), s.Device(), s.DType)
	if err != nil {
		return err
	}
	defer progress.Phase(say, "measuring the winner again, beside the baselines")()
	tried, err := run.Trial(winner.ID)
	if err != nil {
		return err
	}
	var watched []kernels.Sanitized
	if tried.Part(kernels.TrialSanitized).Verdict == kernels.Pending { // else the tools have watched it on trial
		if watched, err = sanitize(ctx, s, &best, say); err != nil {
			return err
		}
	}
	b := kernels.BaselineResult{Name: winner.ID.Short(), Sanitized: watched}
	if err := keepFinal(ctx, f, run, b, &best); err != nil {
		return err
	}
	if naive.ID != best.ID {
		if err := keepStart(ctx, f, run, &naive, &best, s.Cache); err != nil {
			return err
		}
	}
	return keepBaselines(ctx, f, run, &best, say)
}

// keepStart measures the naive start, and duels the winner with it.
func keepStart(ctx context.Context, f kernels.Publisher, run *store.Run, naive, best *kernels.Job, cache string) error {
	b := kernels.BaselineResult{Name: kernels.NaiveStart, Kind: kernels.BaselineName}
	if err := keepFinal(ctx, f, run, b, naive); err != nil {
		return err
	}
	d, err := f.Versus(ctx, naive, best, cache)
	if err != nil {
		return fmt.Errorf("the winner against the naive start: %w", err)
	}
	d.Champion, d.ChampionKind = kernels.NaiveStart, kernels.BaselineName
	return keepDuel(run, f, d)
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

func keepFinal(ctx context.Context, f kernels.Publisher, run *store.Run, b kernels.BaselineResult,
	job *kernels.Job) error {
	r, err := f.Final(ctx, job)
	if err != nil {
		return err
	}
	if r.Outcome != kernels.OK {
		return fmt.Errorf("candidate %s was right in the search and is no longer (%s): %s", job.ID.Short(),
			r.Outcome, r.Detail)
	}
	if _, err := run.PutProvenance(f.Provenance()); err != nil {
		return err
	}
	b.Times, b.Provenance = r.Times, r.Provenance
	return run.PutBaseline(b)
}

func keepDuel(run *store.Run, f kernels.Publisher, d kernels.Duel) error {
	if _, err := run.PutProvenance(f.Provenance()); err != nil {
		return err
	}
	return run.PutDuel(d)
}

// keepBaselines measures what a user would run instead, and duels the winner with each.
func keepBaselines(ctx context.Context, f kernels.Publisher, run *store.Run, best *kernels.Job,
	say func(string, ...any)) error {
	names, missing, err := f.Baselines(ctx)
	if err != nil {
		return err
	}
	sayMissing(missing, say)
	for _, name := range names {
		b, err := f.BaselineTimes(ctx, name)
		if err != nil {
			return err
		}
		b.About = f.About(name, b.Times[0].Workload)
		if err := run.PutBaseline(b); err != nil {
			return err
		}
		for _, cache := range []string{"hot", "cold"} {
			d, err := f.Compare(ctx, name, best, cache)
			if err != nil {
				return fmt.Errorf("the winner against %s: %w", name, err)
			}
			if err := keepDuel(run, f, d); err != nil {
				return err
			}
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
