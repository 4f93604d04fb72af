package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

func (a *app) diffCmd() *cobra.Command {
	var asJSON bool
	c := command("diff", func(_ *cobra.Command, args []string) error {
		return record.With(a.Sayf, args[0], func(r *record.Record) error { return a.diff(asJSON, r, args[1], args[2]) })
	})
	addJSON(c, &asJSON)
	return c
}

func (a *app) diff(asJSON bool, r *record.Record, from, to string) error {
	var side [2]kernels.Candidate
	var source [2]string
	for i, name := range []string{from, to} {
		c, err := r.Pick(name)
		if err != nil {
			return err
		}
		j, warning, err := r.Job(c)
		if err != nil {
			return err
		}
		if warning != "" {
			a.Sayf("warning: %s", console.Lines(warning))
		}
		side[i], source[i] = c, j.Source
	}
	changes := report.Changes(side[0].Variant.Genes, side[1].Variant.Genes)
	unified := report.Unified(side[0].ID.Short()+".cu", side[1].ID.Short()+".cu", source[0], source[1])
	if asJSON {
		return a.PrintJSON(struct {
			From  kernels.ID      `json:"from"`
			To    kernels.ID      `json:"to"`
			Genes []report.Change `json:"genes"`
			Diff  string          `json:"diff"`
		}{side[0].ID, side[1].ID, changes, unified})
	}
	if err := a.diffTable(r, side, changes); err != nil {
		return err
	}
	if unified == "" {
		a.Sayf("\nThe sources are the same.")
		return nil
	}
	fmt.Fprintln(a.Out)
	return a.PrintDiff(unified)
}

func (a *app) diffTable(r *record.Record, side [2]kernels.Candidate, changes []report.Change) error {
	t := report.NewTable("lll", "", side[0].ID.Short(), side[1].ID.Short())
	t.Row("outcome", side[0].Result.Outcome, side[1].Result.Outcome)
	var speedups [2]string
	pace, err := r.Pace()
	if err != nil {
		return err
	}
	for i, c := range side {
		proof, err := r.Proof(c)
		if err != nil {
			return err
		}
		speedups[i] = "-"
		if proof != nil {
			speedups[i] = report.Paced(pace, c)
		}
	}
	t.Row("speedup", speedups[0], speedups[1])
	x, y := side[0].Result.Resources, side[1].Result.Resources
	t.Row("registers", report.Registers(x), report.Registers(y))
	t.Row("shared memory", report.Smem(x), report.Smem(y))
	if f, g := side[0].Variant.Family, side[1].Variant.Family; f != g {
		t.Row("family", report.OrDash(f), report.OrDash(g))
	}
	for _, c := range changes {
		t.Row(c.Gene, report.OrDash(c.From), report.OrDash(c.To))
	}
	t.Write(a.Out)
	return nil
}
