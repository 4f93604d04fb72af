package main

import (
	"fmt"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/evolve"
	"darwarp/kernels"
)

// reasons say why a search ended.
var reasons = map[evolve.Reason]string{
	evolve.ReasonEvals:       "the budget of evaluations is used up",
	evolve.ReasonTime:        "the time is up",
	evolve.ReasonStall:       "no gain for too long",
	evolve.ReasonExhausted:   "all points were evaluated",
	evolve.ReasonInterrupted: "interrupted",
	evolve.ReasonAborted:     "interrupted at once",
	evolve.ReasonFailed:      "it failed",
	evolve.ReasonStopped:     "stopped",
}

// searchSummary is what a search leaves on stdout.
func (a *app) searchSummary(r *record.Record, sum evolve.Summary, best *kernels.Portfolio) error {
	a.Printf("%s after %s in %s: %s\n", r.Meta().Problem, report.Quantity(sum.Evals, "evaluation"),
		report.Duration(sum.Elapsed), reasons[sum.Reason])
	if sum.Champion.IsZero() {
		a.Printf("No candidate is right. `darwarp top %s --all` shows why.\n", r.Path())
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
	a.Printf("champion %s: %s over the naive start%s%s\n", c.ID.Short(), report.Ratio(sum.Speedup), by,
		r.ChampionNote("; it ", c.ID))
	a.showTrial(r, c)
	a.showGenes(r, c)
	figures.Resources(a.Out, c.Result.Resources)
	if err := a.summaryTimes(r, c); err != nil {
		return err
	}
	if best != nil {
		figures.Portfolio(a.Out, r.Meta().Device, best)
	}
	fmt.Fprintln(a.Out)
	t := figures.Outcomes(r.Counts())
	t.Indent = "  "
	t.Write(a.Out)
	a.Sayf("\nStored in %s. Next:\n  darwarp show %s\n  darwarp lineage %s\n  darwarp export %s -o %s-kernel", r.Path(),
		r.Path(), r.Path(), r.Path(), r.Meta().Problem)
	if best != nil {
		a.Sayf("  darwarp export %s --portfolio %d -o %s-portfolio", r.Path(), best.K, r.Meta().Problem)
	}
	return nil
}

// summaryTimes lists the champion's times, where they stand on something.
func (a *app) summaryTimes(r *record.Record, c kernels.Candidate) error {
	f, err := r.Figures(c)
	if err != nil || f.Proof == nil {
		return err
	}
	t, err := f.Table()
	if err != nil {
		return err
	}
	a.Printf("\ntimes (medians, 95%% intervals; %s)\n", f.Proof.Device.Label())
	t.Indent = "  "
	t.Write(a.Out)
	return nil
}

// required decides whether the winner beats the strongest baseline as much as the user asked.
func (a *app) required(factor float64, r *record.Record, sum evolve.Summary) error {
	if factor == 0 {
		return nil
	}
	if sum.Champion.IsZero() {
		a.Sayf("--require %g: no candidate is right", factor)
		return exit.Quietly(exit.NotBeaten)
	}
	speedup, name, err := r.Lead(sum.Champion, sum.Speedup)
	if err != nil {
		return err
	}
	if speedup >= factor {
		a.Sayf("--require %g: met, %s over %s", factor, report.Ratio(speedup), name)
		return nil
	}
	a.Sayf("--require %g: not met, %s over %s", factor, report.Ratio(speedup), name)
	return exit.Quietly(exit.NotBeaten)
}
