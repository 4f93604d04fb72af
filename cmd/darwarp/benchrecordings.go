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
	c := &cobra.Command{
		Use:   "record PROBLEM|DIR --out FILE",
		Short: "Evaluate a whole space, or a sample of it, into a recording",
		Long: "record evaluates every point of a space, or a random sample, and writes a recording that `search` and\n" +
			"`bench search` replay without a GPU. It may be interrupted: the same command continues where it stopped.",
		Example: "  darwarp bench record gemm --workload 2048 --points 3000 --out gemm.json.gz",
		Args:    argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			f.Problem = args[0]
			if f.Out == "" {
				return exit.Usagef("--out is missing: name the file to write, as in --out gemm.json.gz")
			}
			return interruptible(c, func(ctx context.Context) error { return f.Run(ctx, a.Console) })
		},
	}
	c.Flags().StringVar(&f.Out, "out", "", "the recording to write or continue")
	c.Flags().StringVar(&f.Points, "points", "all", "how many points of each family, drawn at random, or all")
	c.Flags().Uint64Var(&f.Seed, "seed", 1, "of the draw")
	addTarget(c, &f.Target)
	return c
}

func (a *app) benchSearchCmd() *cobra.Command {
	var f bench.Search
	c := &cobra.Command{
		Use:   "search RECORDING...",
		Short: "Score the strategies on recordings: how near the optimum after 50, 100, 200, 400 evaluations",
		Long: `search runs every strategy with many seeds on recorded spaces: darwarp's own recordings, Kernel Tuner caches and
T4 results. A cell is optimum over best found: median, (lower quartile), share of searches that found the optimum.
The score goes to the point where random search is expected to be 95 % of the way from the median to the optimum,
by evaluations and by time: 0 is random search, 1 the optimum at once. Marks of other tuners stand beside, where
the space is one that they were run on.`,
		Example: "  darwarp bench search gemm.json.gz --seeds 50 --strategies evolve,random",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exit.Usagef("expected: %s", c.UseLine())
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.Check(); err != nil {
				return err
			}
			return interruptible(c, func(ctx context.Context) error { return f.Run(ctx, a.Console, args) })
		},
	}
	c.Flags().IntVar(&f.Seeds, "seeds", 50, "searches of each strategy")
	c.Flags().IntVar(&f.Jobs, "jobs", 1, "candidates in flight; the others' results are for 1")
	c.Flags().StringSliceVar(&f.Strategies, "strategies", evolve.Strategies(), "which strategies")
	c.Flags().IntVar(&f.Hints, "hints", 0, "begin each search as with --from a run of so many random points of the "+
		"same space")
	c.Flags().BoolVar(&f.Mislead, "mislead", false, "with --hints: present the worst points as the best")
	c.Flags().BoolVar(&f.Others, "others", false, "list every strategy of the others, not only the best of each column")
	c.Flags().BoolVar(&f.JSON, "json", false, "print JSON")
	return c
}

func (a *app) benchConvertCmd() *cobra.Command {
	var f bench.Convert
	c := &cobra.Command{
		Use:   "convert RECORDING|RUN -o FILE",
		Short: "Rewrite a recording, or what a run measured, for darwarp, Kernel Tuner or T4",
		Long: `convert reads darwarp's recordings, Kernel Tuner caches, T4 results and runs of darwarp (run.db), and writes any of
the first three. Failed configurations stay. Kernel Tuner and T4 have one time per configuration: --workload says which.`,
		Example: "  darwarp bench convert cache.json -o space.json.gz\n" +
			"  darwarp bench convert run.db --to kerneltuner --workload 2048 -o cache.json",
		Args: argsBetween(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return f.Run(a.Console, args[0]) },
	}
	c.Flags().StringVarP(&f.Out, "out", "o", "",
		"the file to write; Kernel Tuner and T4 files are compressed if the name ends in .gz")
	c.Flags().StringVar(&f.Format, "to", "darwarp", "format: "+strings.Join(replay.Formats, ", "))
	c.Flags().StringVar(&f.Workload, "workload", "",
		"the workload whose times are written, if the format has one per configuration")
	return c
}

func (a *app) benchSpaceCmd() *cobra.Command {
	var f bench.Space
	c := &cobra.Command{
		Use:   "space RECORDING --constraints FILE[:NAME] | space T1FILE",
		Short: "Build the space that another tuner's restrictions allow, and compare it with a recording",
		Long: "space counts the configurations that restrictions allow: Python expressions as Kernel Tuner has them, in a " +
			"JSON list, or\n" +
			"those of a T1 file. With a recording it also says how many of them were recorded; --list prints them as CSV.",
		Example: "  darwarp bench space gemm.json.gz --constraints constraints.json:gemm_RTX3090\n" +
			"  darwarp bench space input.t1.json --list > space.csv",
		Args: argsBetween(1, 1),
		RunE: func(_ *cobra.Command, args []string) error { return f.Run(a.Console, args[0]) },
	}
	c.Flags().StringVar(&f.Constraints, "constraints", "", "file of restrictions, with :NAME if it has several sets")
	c.Flags().BoolVar(&f.List, "list", false, "print the allowed configurations")
	c.Flags().BoolVar(&f.JSON, "json", false, "print JSON")
	return c
}
