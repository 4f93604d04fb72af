package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/gatecheck"
	"darwarp/cmd/darwarp/internal/gatetest"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
)

func (a *app) gateCmd() *cobra.Command {
	c := command("gate", showHelp)
	c.AddCommand(a.gateTestCmd())
	return c
}

func (a *app) gateTestCmd() *cobra.Command {
	var t session.Target
	var which gatetest.Filter
	var asJSON bool
	c := command("gate test", func(c *cobra.Command, _ []string) error {
		return interruptible(c, func(ctx context.Context) error { return a.gateTest(ctx, t, which, asJSON) })
	})
	c.Flags().StringVar(&t.Device, "device", "auto", "auto, cuda or cpu")
	c.Flags().IntVar(&t.Jobs, "jobs", 0, "compiles at once (0: one per core)")
	c.Flags().StringVar(&t.Sandbox, "sandbox", "best", "best, strict or off")
	c.Flags().BoolVar(&which.Short, "short", false, "only the kernels that every search begins with")
	c.Flags().StringSliceVar(&which.Problems, "problem", nil, "only the kernels of these problems")
	c.Flags().StringSliceVar(&which.Kinds, "kind", nil, "only cheats of these kinds, or honest")
	c.Flags().StringSliceVar(&which.Kernels, "kernel", nil, "only the kernels of these names")
	c.Flags().StringSliceVar(&which.Trial, "trial", nil, "parts of a trial that honest kernels must pass, too")
	addJSON(c, &asJSON)
	return c
}

func (a *app) gateTest(ctx context.Context, t session.Target, which gatetest.Filter, asJSON bool) error {
	if devices := []string{"auto", "cuda", "cpu"}; !slices.Contains(devices, t.Device) {
		return exit.Usagef("--device %q%s: expected auto, cuda or cpu: a recording has no gate", t.Device,
			report.Meant(t.Device, devices))
	}
	if err := which.Check(); err != nil {
		return exit.Usagef("%v", err)
	}
	r, err := gatecheck.Run(ctx, t, which, a.Sayf)
	if err != nil && len(r.Verdicts) == 0 {
		return err
	}
	if asJSON { // also of what was tried before something went wrong
		err = errors.Join(err, a.PrintJSON(r))
	} else {
		r.Text(a.Out, console.Width(a.Out))
	}
	if err == nil && !r.OK() {
		err = exit.Quietly(exit.Failed)
	}
	return err
}
