package main

import (
	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/listing"
	"darwarp/cmd/darwarp/internal/record"
)

func (a *app) topCmd() *cobra.Command {
	var f listing.TopOptions
	c := command("top", func(_ *cobra.Command, args []string) error {
		switch {
		case f.N < 1:
			return exit.Usagef("-n %d: expected at least 1", f.N)
		case f.All && f.Shapes:
			return exit.Usagef("--shapes and --all are two lists: choose one")
		}
		return record.With(a.Sayf, args[0], func(r *record.Record) error { return a.Top(f, r) })
	})
	c.Flags().IntVarP(&f.N, "number", "n", 20, "how many")
	addJSON(c, &f.JSON)
	c.Flags().BoolVar(&f.All, "all", false, "count every outcome, failures by cause")
	c.Flags().BoolVar(&f.Shapes, "shapes", false,
		"a line for each shape: roofline, waves, scaling, speedup over each baseline")
	return c
}
