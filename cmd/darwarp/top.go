package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

type topFlags struct {
	n      int
	json   bool
	all    bool
	shapes bool
}

func (a *app) topCmd() *cobra.Command {
	var f topFlags
	c := command("top", func(_ *cobra.Command, args []string) error {
		switch {
		case f.n < 1:
			return exit.Usagef("-n %d: expected at least 1", f.n)
		case f.all && f.shapes:
			return exit.Usagef("--shapes and --all are two lists: choose one")
		}
		return record.With(a.Sayf, args[0], func(r *record.Record) error { return a.top(f, r) })
	})
	c.Flags().IntVarP(&f.n, "number", "n", 20, "how many")
	addJSON(c, &f.json)
	c.Flags().BoolVar(&f.all, "all", false, "count every outcome, failures by cause")
	c.Flags().BoolVar(&f.shapes, "shapes", false,
		"a line for each shape: roofline, waves, scaling, speedup over each baseline")
	return c
}

func (a *app) top(f topFlags, r *record.Record) error {
	if f.all {
		return a.topAll(f, r)
	}
	best, err := r.Top(f.n)
	if err != nil {
		return err
	}
	if f.json && f.shapes {
		return a.shapesJSON(r, best)
	}
	if f.json {
		return a.PrintJSON(best)
	}
	a.headRun(r)
	placed, err := placed(r, best, f.n)
	if err != nil {
		return err
	}
	if len(best) == 0 {
		a.Sayf("No candidate is right yet (%s stored). `darwarp top %s --all` shows why.",
			report.Quantity(r.Len(), "candidate"), r.Path())
		return nil
	}
	if f.shapes {
		return a.shapesTable(r, placed)
	}
	return errors.Join(a.topTable(r, placed), a.showArms(r), a.showGrown(r))
}

// placed is the leaderboard of the best; where the champion is not among them, all are asked for.
func placed(r *record.Record, best []kernels.Candidate, n int) ([]report.Placed, error) {
	champion, _ := r.Champion()
	is := func(c kernels.Candidate) bool { return c.ID == champion }
	if !champion.IsZero() && len(best) > 0 && !slices.ContainsFunc(best, is) {
		all, err := r.Top(r.Len())
		if err != nil {
			return nil, err
		}
		best = all
	}
	return report.Leaderboard(best, r.Meta().Workloads, champion, n), nil
}

// headRun says on stderr what a table is about.
func (a *app) headRun(r *record.Record) {
	m := r.Meta()
	a.Sayf("%s %s on %s; %s times, %s\n", m.Problem, m.DType,
		strings.Join(report.NonEmpty(m.Device.Label(), m.Device.Toolchain), ", "), m.Cache, report.Quantity(r.Len(),
			"candidate"))
}

// shownWorkloads is how many workloads get a column of their own.
const shownWorkloads = 3

func (a *app) topTable(r *record.Record, best []report.Placed) error {
	champion, _ := r.Champion()
	workloads := r.Meta().Workloads
	workloads = workloads[:min(len(workloads), shownWorkloads)]
	head, align := topHead(r.Meta().Device, workloads)
	other := func(c report.Placed) bool { return c.Variant.Family != best[0].Variant.Family }
	several := slices.ContainsFunc(best, other)
	if several {
		head, align = append(head, "family"), align+"l"
	}
	t := report.NewTable(align+"l", append(head, "origin")...)
	for _, c := range best {
		proof, err := r.Proof(c.Candidate)
		if err != nil {
			return err
		}
		mark := ""
		if c.ID == champion {
			mark = "*"
		}
		row := []any{mark, c.Shown, c.ID.Short()}
		row = append(row, figures.FigureCells(c.Candidate, proof, workloads)...)
		rs := c.Result.Resources
		row = append(row, report.Registers(rs), report.Smem(rs), report.Occupancy(rs))
		if several {
			row = append(row, report.OrDash(c.Variant.Family))
		}
		t.Row(append(row, figures.OriginText(c.Candidate))...)
	}
	t.Width = console.Width(a.Out)
	t.Write(a.Out)
	if !champion.IsZero() {
		a.Sayf("\n* champion%s. Speedup is over the naive start. A rank is shown once: those below it cannot be "+
			"told from the first that has it.", r.ChampionNote(", which ", champion))
	}
	return nil
}

func (a *app) topAll(f topFlags, r *record.Record) error {
	all, causes, err := r.Candidates()
	if err != nil {
		return err
	}
	if f.json {
		return a.PrintJSON(all)
	}
	a.headRun(r)
	figures.Outcomes(r.Counts()).Write(a.Out)
	if len(causes) == 0 {
		return nil
	}
	fmt.Fprintln(a.Out)
	t := report.NewTable("rlll", "count", "outcome", "example", "cause")
	for _, c := range causes[:min(len(causes), f.n)] {
		t.Row(c.Count, c.Outcome, c.Example.Short(), c.Detail)
	}
	t.Width = console.Width(a.Out)
	t.Write(a.Out)
	if more := len(causes) - f.n; more > 0 {
		a.Sayf("%d more causes: -n %d", more, len(causes))
	}
	return nil
}

// topHead are the columns of topTable, family and origin aside.
func topHead(dev kernels.Device, workloads []kernels.Workload) (head []string, align string) {
	head, align = []string{"", "#", "id", "speedup"}, "lrlr"
	for _, w := range workloads {
		name := w.Name
		if dev.Kind == "cpu" {
			name += " (CPU)"
		}
		head, align = append(head, name), align+"r"
	}
	return append(head, "regs", "smem", "occ"), align + "rrr"
}
