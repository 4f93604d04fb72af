package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// finisher is an evaluator that can measure a winner for publication, and the baselines beside it. A
// recording cannot: its times are what they are.
type finisher interface {
	Provenance() kernels.Provenance
	Final(ctx context.Context, job *kernels.Job) (kernels.Result, error)
	Baselines(ctx context.Context) (names []string, missing map[string]string, err error)
	BaselineTimes(ctx context.Context, name string) (kernels.BaselineResult, error)
	About(name, workload string) string
	Compare(ctx context.Context, name string, job *kernels.Job, cache string) (kernels.Duel, error)
	Versus(ctx context.Context, champion, challenger *kernels.Job, cache string) (kernels.Duel, error)
}

// measureAgain measures the winner, the naive start and the baselines on fresh data, and stores what
// it finds. The winner's times are kept among the baselines' under its short ID, for a stored
// candidate does not change.
func (a *app) measureAgain(ctx context.Context, f finisher, s *session, run *store.Run, champion kernels.ID) error {
	winner, err := run.Get(champion)
	if err != nil {
		return err
	}
	best, err := s.bundle.VariantJob(winner.Variant, s.Device(), s.dtype)
	if err != nil {
		return err
	}
	start := s.spaces[0].Family
	naive, err := s.bundle.Job(start, start.Defaults(), s.Device(), s.dtype)
	if err != nil {
		return err
	}
	a.sayf("measuring the winner again, and what to compare it with ...")
	tried, err := run.Trial(winner.ID)
	if err != nil {
		return err
	}
	var watched []kernels.Sanitized
	if tried.Part(kernels.TrialSanitized).Verdict == kernels.Pending { // else the tools have watched it on trial
		if watched, err = a.sanitize(ctx, f, &best); err != nil {
			return err
		}
	}
	if err := keepFinal(ctx, f, run, kernels.BaselineResult{Name: winner.ID.Short(), Sanitized: watched}, &best); err != nil {
		return err
	}
	if naive.ID != best.ID {
		if err := keepFinal(ctx, f, run, kernels.BaselineResult{Name: naiveStart, Kind: kernels.BaselineName}, &naive); err != nil {
			return err
		}
		d, err := f.Versus(ctx, &naive, &best, s.cache)
		if err != nil {
			return fmt.Errorf("the winner against the naive start: %w", err)
		}
		d.Champion, d.ChampionKind = naiveStart, kernels.BaselineName
		if err := keepDuel(run, f, d); err != nil {
			return err
		}
	}
	return a.keepBaselines(ctx, f, s, run, &best)
}

// sanitizer is a finisher that can watch every access of a candidate. why says in one line why it cannot here.
type sanitizer interface {
	Sanitize(ctx context.Context, job *kernels.Job) (found []kernels.Sanitized, why string, err error)
}

// sanitize has compute-sanitizer watch a winner, where it is installed, and says what it found.
func (a *app) sanitize(ctx context.Context, f any, job *kernels.Job) ([]kernels.Sanitized, error) {
	s, ok := f.(sanitizer)
	if !ok {
		return nil, nil
	}
	found, why, err := s.Sanitize(ctx, job)
	if err != nil {
		return nil, err
	}
	if why != "" {
		a.sayf("accesses not watched: %s", why)
		return nil, nil
	}
	a.sayf("compute-sanitizer: %s", kernels.SanitizedText(found))
	return found, nil
}

func keepFinal(ctx context.Context, f finisher, run *store.Run, b kernels.BaselineResult, job *kernels.Job) error {
	r, err := f.Final(ctx, job)
	if err != nil {
		return err
	}
	if r.Outcome != kernels.OK {
		return fmt.Errorf("candidate %s was right in the search and is not now (%s): %s", job.ID.Short(), r.Outcome, r.Detail)
	}
	if _, err := run.PutProvenance(f.Provenance()); err != nil {
		return err
	}
	b.Times, b.Proof = r.Times, r.Proof
	return run.PutBaseline(b)
}

func keepDuel(run *store.Run, f finisher, d kernels.Duel) error {
	if _, err := run.PutProvenance(f.Provenance()); err != nil {
		return err
	}
	return run.PutDuel(d)
}

// keepBaselines measures what a user would run instead, and duels the winner with each.
func (a *app) keepBaselines(ctx context.Context, f finisher, s *session, run *store.Run, best *kernels.Job) error {
	names, missing, err := f.Baselines(ctx)
	if err != nil {
		return err
	}
	a.sayMissing(missing)
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
func (a *app) sayMissing(missing map[string]string) {
	names := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		names[missing[name]] = append(names[missing[name]], name)
	}
	for _, why := range slices.Sorted(maps.Keys(names)) {
		a.sayf("not compared: baseline %s: %s", strings.Join(names[why], ", "), why)
	}
}

// keepNaive makes the search's own times of the naive start the baseline of a run that was not
// measured again.
func keepNaive(run *store.Run) error {
	all, err := run.Baselines()
	if err != nil || len(all) > 0 {
		return err
	}
	start, err := startOf(run)
	if err != nil || start == nil {
		return err
	}
	return run.PutBaseline(kernels.BaselineResult{Name: naiveStart, Kind: kernels.BaselineName, About: "the naive start", Times: start.Result.Times, Proof: start.Result.Proof})
}

// reasons say why a search ended.
var reasons = map[evolve.Reason]string{
	evolve.ReasonEvals: "the budget of evaluations is used up", evolve.ReasonTime: "the time is up", evolve.ReasonStall: "no gain for long",
	evolve.ReasonExhausted: "every point was judged", evolve.ReasonInterrupted: "interrupted", evolve.ReasonAborted: "interrupted at once",
	evolve.ReasonFailed: "it failed", evolve.ReasonStopped: "stopped",
}

// searchSummary is what a search leaves on stdout.
func (a *app) searchSummary(r *record, sum evolve.Summary, best *kernels.Portfolio) error {
	fmt.Fprintf(a.out, "%s after %s in %s: %s\n", r.Meta().Problem, count(sum.Evals, "evaluation"), report.Duration(sum.Elapsed), reasons[sum.Reason])
	if sum.Champion.IsZero() {
		fmt.Fprintf(a.out, "No candidate is right. `darwarp top %s --all` shows why.\n", r.Path())
		return nil
	}
	c, err := r.Get(sum.Champion)
	if err != nil {
		return err
	}
	by := ""
	if o := r.Meta().Objective; o != "" && o != kernels.Geomean {
		by = fmt.Sprintf(" (%s)", o)
	}
	fmt.Fprintf(a.out, "champion %s: %s over the naive start%s%s\n", c.ID.Short(), report.Ratio(sum.Speedup), by, r.championNote("; it ", c.ID))
	a.showTrial(r, c)
	a.showGenes(r, c)
	a.showResources(c.Result.Resources)
	f, err := r.figures(c)
	if err != nil {
		return err
	}
	if f.proof != nil {
		t, err := f.table()
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "\ntimes (medians, 95%% intervals; %s)\n", f.proof.Device.Label())
		t.Indent = "  "
		t.Write(a.out)
	}
	if best != nil {
		a.showPortfolio(r, best)
	}
	fmt.Fprintln(a.out)
	t := outcomeTable(r.Counts())
	t.Indent = "  "
	t.Write(a.out)
	a.sayf("\nStored in %s. Next:\n  darwarp show %s\n  darwarp lineage %s\n  darwarp export %s -o %s-kernel", r.Path(), r.Path(), r.Path(), r.Path(), r.Meta().Problem)
	if best != nil {
		a.sayf("  darwarp export %s --portfolio %d -o %s-portfolio", r.Path(), best.K, r.Meta().Problem)
	}
	return nil
}

// required decides whether the winner beats the strongest baseline as much as the user asked.
func (a *app) required(factor float64, r *record, sum evolve.Summary) error {
	if factor == 0 {
		return nil
	}
	if sum.Champion.IsZero() {
		a.sayf("--require %g: no candidate is right", factor)
		return quietly(exitNotBeaten)
	}
	speedup, name := sum.Speedup, "the naive start"
	duels, err := r.Duels()
	if err != nil {
		return err
	}
	for _, d := range duels {
		if d.Challenger == sum.Champion.Short() && d.WithBaseline() && d.Champion != naiveStart && d.Rounds[0].Cache == r.Meta().Cache && 1/d.Ratio < speedup {
			speedup, name = 1/d.Ratio, d.Champion
		}
	}
	if speedup >= factor {
		a.sayf("--require %g: met, %s over %s", factor, report.Ratio(speedup), name)
		return nil
	}
	a.sayf("--require %g: not met, %s over %s", factor, report.Ratio(speedup), name)
	return quietly(exitNotBeaten)
}
