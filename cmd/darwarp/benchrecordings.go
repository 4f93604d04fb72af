package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/bench"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/eval/replay"
	"darwarp/evolve"
)

func (a *app) benchRecordCmd() *cobra.Command {
	var f bench.Record
	c := command("bench record", func(c *cobra.Command, args []string) error {
		f.Problem = args[0]
		if f.Out == "" {
			return exit.Usagef("--out is missing: name the file to write, as in --out gemm.json.gz")
		}
		return interruptible(c, func(ctx context.Context) error { return f.Run(ctx, a.Console) })
	})
	c.Flags().StringVar(&f.Out, "out", "", "the recording to write or continue")
	c.Flags().StringVar(&f.Points, "points", "all", "how many points of each family, drawn at random, or all")
	addSeed(c, &f.Seed, "of the draw")
	addTarget(c, &f.Target)
	return c
}

func (a *app) benchSearchCmd() *cobra.Command {
	var f bench.Search
	c := command("bench search", func(c *cobra.Command, args []string) error {
		if err := f.Check(); err != nil {
			return err
		}
		return interruptible(c, func(ctx context.Context) error { return f.Run(ctx, a.Console, args) })
	})
	c.Flags().IntVar(&f.Seeds, "seeds", 50, "searches of each strategy")
	c.Flags().IntVar(&f.Jobs, "jobs", 1, "candidates in flight; the others' results are for 1")
	c.Flags().StringSliceVar(&f.Strategies, "strategies", evolve.Strategies(), "which strategies")
	c.Flags().IntVar(&f.Hints, "hints", 0, "begin each search as with --from, with hints from this many random points of "+
		"the same space")
	c.Flags().BoolVar(&f.Mislead, "mislead", false, "with --hints: present the worst points as the best")
	c.Flags().BoolVar(&f.Others, "others", false, "list every strategy of the others, not only the best of each column")
	addJSON(c, &f.JSON)
	return c
}

func (a *app) benchConvertCmd() *cobra.Command {
	var f bench.Convert
	c := command("bench convert", func(_ *cobra.Command, args []string) error { return f.Run(a.Console, args[0]) })
	c.Flags().StringVarP(&f.Out, "out", "o", "",
		"the file to write; Kernel Tuner and T4 files are compressed if the name ends in .gz")
	c.Flags().StringVar(&f.Format, "to", "darwarp", "format: "+strings.Join(replay.Formats, ", "))
	c.Flags().StringVar(&f.Workload, "workload", "",
		"the workload whose times are written, if the format has one per configuration")
	return c
}

func (a *app) benchSpaceCmd() *cobra.Command {
	var f bench.Space
	c := command("bench space", func(_ *cobra.Command, args []string) error { return f.Run(a.Console, args[0]) })
	c.Flags().StringVar(&f.Constraints, "constraints", "", "file of restrictions, with :NAME if it has several sets")
	c.Flags().BoolVar(&f.List, "list", false, "print the allowed configurations")
	addJSON(c, &f.JSON)
	return c
}
