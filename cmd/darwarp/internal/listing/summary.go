package listing

import (
	"fmt"
	"strings"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/export"
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

// Summary is what a search of a problem leaves on stdout.
func (to Lister) Summary(r *record.Record, p *kernels.Problem, sum evolve.Summary, best *kernels.Portfolio) error {
	to.Printf("%s after %s in %s: %s\n", r.Meta().Problem, report.Quantity(sum.Evals, "evaluation"),
		report.Duration(sum.Elapsed), reasons[sum.Reason])
	if sum.Champion.IsZero() {
		to.Printf("No candidate is right. `%s` shows why.\n", cmdline.Of("top", r.Path(), "--all"))
		return nil
	}
	c, err := r.Get(sum.Champion)
	if err != nil {
		return err
	}
	pace, err := r.Pace()
	if err != nil {
		return err
	}
	by := ""
	if o := r.Meta().Objective; o != "" && o != kernels.Geomean {
		by = fmt.Sprintf(" (%s)", o)
	}
	to.Printf("champion %s: %s over the naive start%s%s\n", c.ID.Short(), report.Paced(pace, c), by,
		r.ChampionNote("; it ", c.ID))
	if text := unsettled(to.goesOn(r.Path()), sum); text != "" {
		to.Printf("%s\n", text)
	}
	to.showTrial(r, c)
	to.showGenes(r, c)
	figures.Resources(to.Out, c.Result.Resources)
	if err := to.summaryTimes(r, c); err != nil {
		return err
	}
	if best != nil {
		figures.Portfolio(to.Out, r.Meta().Device, best)
	}
	fmt.Fprintln(to.Out)
	t := figures.Outcomes(r.Counts())
	t.Indent = "  "
	t.Write(to.Out)
	err = to.ShowIslands(r)
	to.sayNext(r, sum)
	if export.Possible(p) == nil {
		to.sayExports(r, best)
	}
	return err
}

// sayNext names commands for what was found; first the one that settles what is not settled.
func (to Lister) sayNext(r *record.Record, sum evolve.Summary) {
	to.Sayf("\nStored in %s. Next:", r.Path())
	if goesOn := to.goesOn(r.Path()); unsettled(goesOn, sum) != "" {
		to.Sayf("  %s", goesOn)
	}
	to.Sayf("  %s\n  %s", cmdline.Of("show", r.Path()), cmdline.Of("lineage", r.Path()))
}

func (to Lister) sayExports(r *record.Record, best *kernels.Portfolio) {
	to.Sayf("  %s", cmdline.Of("export", r.Path(), "-o", r.Meta().Problem+"-kernel"))
	if best != nil {
		to.Sayf("  %s", ExportPortfolio(r, best.K))
	}
}

// unsettled says what the end of the search has cut off, and by which command it goes on; empty where it has cut off
// nothing.
func unsettled(goesOn string, sum evolve.Summary) string {
	var open []string
	if !sum.Contender.IsZero() {
		open = append(open, fmt.Sprintf("%s, measured at ~%s, may be better: its duel with the champion and its first trial "+
			"were not over", sum.Contender.Short(), report.Speedup(sum.Claims)))
	}
	if sum.Left > 0 {
		open = append(open, report.Quantity(sum.Left, "candidate")+" that had been begun got no verdict")
	}
	if sum.Standing == kernels.OnTrial {
		open = append(open, "the champion's trial is not finished")
	}
	if len(open) == 0 {
		return ""
	}
	return fmt.Sprintf("not settled: %s. The champion is what is known to be best; `%s` settles the rest, also with the "+
		"budget used up.", strings.Join(open, "; "), goesOn)
}

// summaryTimes lists the champion's times, where they stand on something.
func (to Lister) summaryTimes(r *record.Record, c kernels.Candidate) error {
	f, err := r.Figures(c)
	if err != nil || f.Proof == nil {
		return err
	}
	t, err := f.Table()
	if err != nil {
		return err
	}
	to.Printf("\ntimes (medians, 95%% intervals; %s)\n", f.Proof.Device.Label())
	t.Indent = "  "
	t.Write(to.Out)
	return nil
}

// Required decides whether the winner beats the strongest baseline as much as the user asked.
func (to Lister) Required(factor float64, r *record.Record, sum evolve.Summary) error {
	if factor == 0 {
		return nil
	}
	if sum.Champion.IsZero() {
		to.Sayf("--require %g: no candidate is right", factor)
		return exit.Quietly(exit.NotBeaten)
	}
	speedup, name, err := r.Lead(sum.Champion)
	if err != nil {
		return err
	}
	if speedup*(1+1e-9) >= factor { // logarithms and back leave their traces
		to.Sayf("--require %g: met, %s over %s", factor, report.Ratio(speedup), name)
		return nil
	}
	to.Sayf("--require %g: not met, %s over %s", factor, report.Ratio(speedup), name)
	return exit.Quietly(exit.NotBeaten)
}

// ExportPortfolio is the command that exports a run's portfolio.
func ExportPortfolio(r *record.Record, k int) string {
	return cmdline.Of("export", r.Path(), "--portfolio", fmt.Sprint(k), "-o", r.Meta().Problem+"-portfolio")
}
