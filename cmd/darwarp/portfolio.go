package main

import (
	"context"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/listing"
	"darwarp/cmd/darwarp/internal/measure"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/session"
)

type portfolioFlags struct {
	session.Target
	k    int
	json bool
}

func (a *app) portfolioCmd() *cobra.Command {
	var f portfolioFlags
	c := command("portfolio", func(c *cobra.Command, args []string) error {
		if !c.Flags().Changed("k") {
			return exit.Usagef("--k is missing: say how many kernels at most, as in %s",
				cmdline.Of("portfolio", args[0], "--k", "2"))
		}
		if f.k < 2 {
			return exit.Usagef("--k %d: expected 2 or more kernels", f.k)
		}
		return interruptible(c, func(ctx context.Context) error { return a.portfolio(ctx, args[0], f) })
	})
	c.Flags().IntVar(&f.k, "k", 0, "how many kernels at most")
	addJSON(c, &f.json)
	addDevice(c, &f.Target)
	return c
}

func (a *app) portfolio(ctx context.Context, path string, f portfolioFlags) error {
	return measure.With(ctx, path, f.Target, a.Sayf, measure.Serves, func(s *session.Session, r *record.Record) error {
		p, err := measure.Portfolio(ctx, s, r, f.k, a.Sayf)
		switch {
		case err != nil:
			return err
		case f.json:
			return a.PrintJSON(p)
		}
		figures.Portfolio(a.Out, r.Meta().Device, p)
		a.Sayf("\nExport it: %s", listing.ExportPortfolio(r, f.k))
		return nil
	})
}
