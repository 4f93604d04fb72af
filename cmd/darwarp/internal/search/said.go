package search

import (
	"fmt"
	"io"
	"strings"
	"time"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// Head says what begins.
func (s *Search) Head(w io.Writer) {
	x, o := s.Session, s.Options
	var names, spaces []string
	for _, load := range x.Workloads {
		names = append(names, load.Name)
	}
	for _, space := range x.Spaces {
		spaces = append(spaces, space.Family.Name+", "+report.Quantity(space.Len(), "point"))
	}
	d := x.Device()
	fmt.Fprintf(w, "%s %s: %s\n", x.Bundle.Problem.Name, x.DType, x.Bundle.Problem.About)
	report.Fields(w, "  ",
		[2]string{"device", strings.Join(report.NonEmpty(d.Label(), d.Arch, d.Toolchain), ", ")},
		[2]string{"workloads", fmt.Sprintf("%s (%s)", strings.Join(names, ", "), x.Cache)},
		[2]string{"objective", objectiveText(x.Objective, o.Portfolio, len(names))},
		[2]string{"space", strings.Join(spaces, "; ")},
		[2]string{"left out", strings.Join(x.LeftOut, "; ")},
		[2]string{"search", fmt.Sprintf("%s, seed %d, %s", o.Strategy, o.Seed, BudgetText(o.Budget))},
		[2]string{"then", s.Afterwards()},
		[2]string{"store", s.Run.Path()})
	fmt.Fprintln(w)
}

// objectiveText says what counts, where there is a choice.
func objectiveText(o kernels.Objective, portfolio, workloads int) string {
	if workloads < 2 {
		return ""
	}
	if portfolio > 1 {
		return fmt.Sprintf("%s, with a portfolio of %s", o, report.Quantity(portfolio, "kernel"))
	}
	return o.String()
}

// BudgetText says how far a search goes.
func BudgetText(b store.Budget) string {
	var parts []string
	if b.For > 0 {
		parts = append(parts, report.Duration(b.For))
	}
	if b.Evals > 0 {
		parts = append(parts, report.Quantity(b.Evals, "evaluation"))
	}
	if b.Stall > 0 {
		parts = append(parts, report.Quantity(b.Stall, "evaluation")+" without a gain")
	}
	return "until " + strings.Join(parts, " or ")
}

// spent is the error of a run that is gone on with where its budget leaves nothing to do.
func spent(path string, b store.Budget, sum evolve.Summary) error {
	flag, value := larger(b, sum)
	return exit.Usagef("nothing was begun: the run's budget (%s) was used up before; name a larger one: %s",
		BudgetText(b), cmdline.Of("search", "--resume", path, flag, value))
}

// larger is the flag for a budget that leaves something to do.
func larger(b store.Budget, sum evolve.Summary) (flag, value string) {
	if sum.Reason == evolve.ReasonTime {
		return "--for", fmt.Sprint((sum.Elapsed + max(b.For, time.Minute)).Round(time.Minute))
	}
	return "--evals", fmt.Sprint(sum.Evals + max(100, sum.Evals))
}
