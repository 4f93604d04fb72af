package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/bench"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/evolve"
	"darwarp/store"
)

func (a *app) benchCmd() *cobra.Command {
	c := command("bench", showHelp)
	c.AddCommand(a.benchAgreeCmd(), a.benchRecordCmd(), a.benchSearchCmd(), a.benchConvertCmd(), a.benchSpaceCmd(),
		a.benchThroughputCmd(), a.benchSoakCmd(), a.benchAACmd(), a.benchLLMCmd(), a.benchFleetCmd(),
		a.benchKernelBenchCmd())
	return c
}

func (a *app) benchAACmd() *cobra.Command {
	var f bench.AA
	c := command("bench aa", func(c *cobra.Command, args []string) error {
		if f.Duels < 1 {
			return exit.Usagef("--duels %d: expected 1 or more", f.Duels)
		}
		f.Problem = args[0]
		return interruptible(c, func(ctx context.Context) error { return f.Run(ctx, a.Console) })
	})
	c.Flags().IntVar(&f.Duels, "duels", 200, "how many")
	addSeed(c, &f.Seed, "for choosing the point")
	addJSON(c, &f.JSON)
	addTarget(c, &f.Target)
	return c
}

func (a *app) benchAgreeCmd() *cobra.Command {
	var f bench.Agree
	c := command("bench agree", func(c *cobra.Command, args []string) error {
		if f.Samples < 1 {
			return exit.Usagef("--samples %d: expected 1 or more", f.Samples)
		}
		f.Problem = args[0]
		return interruptible(c, func(ctx context.Context) error { return f.Run(ctx, a.Console) })
	})
	fs := c.Flags()
	fs.IntVar(&f.Samples, "samples", 24, "points of each family")
	addSeed(c, &f.Seed, "of the draw")
	fs.StringVar(&f.DType, "dtype", "", "element type (default: all of the problem's)")
	fs.StringArrayVar(&f.Workloads, "workload", nil,
		"a size to run beside the check shapes: a name or m=..,n=..,k=..; repeatable (default: the small ones)")
	addPoints(fs, &f.Target)
	addJSON(c, &f.JSON)
	return c
}

func (a *app) benchThroughputCmd() *cobra.Command {
	var f bench.Throughput
	c := command("bench throughput", func(c *cobra.Command, args []string) error {
		if f.Span <= 0 {
			return exit.Usagef("--for %v: expected more than 0", f.Span)
		}
		if f.Points < 0 || f.Points == 0 && c.Flags().Changed("points") {
			return exit.Usagef("--points %d: expected 1 or more", f.Points)
		}
		if f.Points > 0 && !c.Flags().Changed("for") {
			f.Span = 0
		}
		f.Problem, f.Uncached = args[0], true
		return interruptible(c, func(ctx context.Context) error { return f.Run(ctx, a.Console) })
	})
	c.Flags().DurationVar(&f.Span, "for", 30*time.Second, "how long; with --points at most this long")
	c.Flags().IntVar(&f.Points, "points", 0, "how many points (default: as many as the time allows)")
	addSeed(c, &f.Seed, "of the draw")
	addJSON(c, &f.JSON)
	addTarget(c, &f.Target)
	addGPUs(c, &f.Target)
	addTrace(c, &f.Target)
	return c
}

func (a *app) benchSoakCmd() *cobra.Command {
	var f bench.Soak
	c := command("bench soak", func(c *cobra.Command, args []string) error {
		f.Problem, f.NoBaseline = args[0], true
		f.Budget = store.Budget{For: f.Span}
		switch {
		case f.Span < 8*time.Second:
			return exit.Usagef("--for %v: expected 8s or more, because its quarters are compared", f.Span)
		case !(f.Faults >= 0 && f.Faults <= 50): // nor NaN
			return exit.Usagef("--faults %v: expected a percentage from 0 to 50", f.Faults)
		case !slices.Contains(evolve.Strategies(), f.Strategy):
			return exit.Usagef("--strategy %q: expected one of %s", f.Strategy, strings.Join(evolve.Strategies(), ", "))
		}
		stop := console.OnInterrupt(c.Context())
		defer stop.Release()
		return stop.Explain(f.Run(stop, a.Console))
	})
	fs := c.Flags()
	fs.DurationVar(&f.Span, "for", 8*time.Hour, "how long")
	fs.Float64Var(&f.Faults, "faults", 10, "percent of evaluations with a fault: half are killed workers, half faulty "+
		"kernels")
	fs.StringVar(&f.Strategy, "strategy", "random", "as for darwarp search")
	addSeed(c, &f.Seed, "of the search and of the faults")
	fs.StringVar(&f.Store, "store", "", "keep the run in this file (default: none is kept)")
	addJSON(c, &f.JSON)
	fs.BoolVar(&f.GateTest, "gate-test", true, "first send a few cheats and honest kernels through the gate")
	addTarget(c, &f.Target)
	addGPUs(c, &f.Target)
	return c
}
