package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/bench"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/evolve"
	"darwarp/store"
)

func (a *app) benchCmd() *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Record and convert spaces, score strategies on recordings, measure throughput, compare devices",
		Args:  noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.benchAgreeCmd(), a.benchRecordCmd(), a.benchSearchCmd(), a.benchConvertCmd(), a.benchSpaceCmd(),
		a.benchThroughputCmd(), a.benchSoakCmd(), a.benchAACmd(), a.benchLLMCmd())
	return c
}

func (a *app) benchAACmd() *cobra.Command {
	var f bench.AA
	c := &cobra.Command{
		Use:   "aa PROBLEM|DIR",
		Short: "Duel a kernel with itself: how often the rule promotes a kernel that is not faster",
		Long: "aa lets a random point of the space, which --gene restricts, challenge itself again and\n" +
			"again, by the rule that champions change by. Exit code 1 when more than 1 % of the duels are won.",
		Example: "  darwarp bench aa gemm --workload 512 --gene mma=mma_sync,wmma --duels 200",
		Args:    argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.Duels < 1 {
				return exit.Usagef("--duels %d: expected 1 or more", f.Duels)
			}
			f.Problem = args[0]
			return interruptible(c, func(ctx context.Context) error { return f.Run(ctx, a.Console) })
		},
	}
	c.Flags().IntVar(&f.Duels, "duels", 200, "how many")
	c.Flags().Uint64Var(&f.Seed, "seed", 1, "seed for choosing the point")
	c.Flags().BoolVar(&f.JSON, "json", false, "print JSON")
	addTarget(c, &f.Target)
	return c
}

func (a *app) benchAgreeCmd() *cobra.Command {
	var f bench.Agree
	c := &cobra.Command{
		Use:   "agree PROBLEM|DIR",
		Short: "Run sampled points on the GPU and on the cpu device, and compare their outputs",
		Long: "agree takes the default and random points of every family's space, runs each on the GPU and on the cpu\n" +
			"device, on the same secret inputs, and compares verdicts and outputs. Differences are told in units of what\n" +
			"the error model allows between one output and the truth. It fails when a verdict differs, or an output by\n" +
			"more than one unit. Nothing is timed.",
		Example: "  darwarp bench agree gemm --samples 50\n" +
			"  darwarp bench agree ./mykernel --dtype bf16 --workload m=64,n=64,k=64",
		Args: argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if f.Samples < 1 {
				return exit.Usagef("--samples %d: expected 1 or more", f.Samples)
			}
			f.Problem = args[0]
			return interruptible(c, func(ctx context.Context) error { return f.Run(ctx, a.Console) })
		},
	}
	fs := c.Flags()
	fs.IntVar(&f.Samples, "samples", 24, "points of each family")
	fs.Uint64Var(&f.Seed, "seed", 1, "of the draw")
	fs.StringVar(&f.DType, "dtype", "", "element type (default: all of the problem's)")
	fs.StringArrayVar(&f.Workloads, "workload", nil,
		"a size to run beside the check shapes: a name or m=..,n=..,k=..; repeatable (default: the small ones)")
	fs.StringArrayVar(&f.Genes, "gene", nil, "restrict a gene: NAME=VALUE,VALUE; repeatable")
	fs.IntVar(&f.Jobs, "jobs", 0, "compiles at once on each device (default: one per core)")
	fs.StringVar(&f.Sandbox, "sandbox", "best",
		"sandbox for compilers and candidates: best (what the kernel supports), strict (refuse if incomplete) or off")
	fs.BoolVar(&f.JSON, "json", false, "print JSON")
	return c
}

func (a *app) benchThroughputCmd() *cobra.Command {
	var f bench.Throughput
	c := &cobra.Command{
		Use:   "throughput PROBLEM|DIR|RECORDING",
		Short: "Evaluations per second on random points, where the time goes, and which points are not right",
		Long: "throughput evaluates random points of all families in turn, none twice. Those that are neither right nor\n" +
			"duplicates are listed with the --gene flags that leave only that point: with them the same command tries\n" +
			"it again. --json lists all of them, with the gate's full messages.",
		Example: "  darwarp bench throughput attention --workload 8x16x512x64 --points 2000",
		Args:    argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
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
		},
	}
	c.Flags().DurationVar(&f.Span, "for", 30*time.Second, "how long; with --points at most this long")
	c.Flags().IntVar(&f.Points, "points", 0, "how many points (default: as many as the time allows)")
	c.Flags().Uint64Var(&f.Seed, "seed", 1, "of the draw")
	c.Flags().BoolVar(&f.JSON, "json", false, "print JSON")
	addTarget(c, &f.Target)
	addTrace(c, &f.Target)
	return c
}

func (a *app) benchSoakCmd() *cobra.Command {
	var f bench.Soak
	c := &cobra.Command{
		Use:   "soak PROBLEM|DIR",
		Short: "A long search with injected faults, to show that nothing is lost, grows or gets worse",
		Long: `soak searches like any search while it kills workers and plants faults in candidates: half of --faults
each. At the end it compares the events with the stored records, and the last quarter of the time with the
second: memory, open files, goroutines, processes, GPU memory, verdicts a second. Exit code 1 if any check fails. Random points by default, so that the work is the same from beginning to end.`,
		Example: "  darwarp bench soak gemm --for 8h\n  darwarp bench soak gemm --for 20m --faults 10 --workload 512",
		Args:    argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			f.Problem, f.NoBaseline = args[0], true
			f.Budget = store.Budget{For: f.Span}
			switch {
			case f.Span < 8*time.Second:
				return exit.Usagef("--for %v: expected 8s or more, because its quarters are compared", f.Span)
			case f.Faults < 0 || f.Faults > 50:
				return exit.Usagef("--faults %v: expected a percentage from 0 to 50", f.Faults)
			case !slices.Contains(evolve.Strategies(), f.Strategy):
				return exit.Usagef("--strategy %q: expected one of %v", f.Strategy, evolve.Strategies())
			}
			stop := console.OnInterrupt(c.Context())
			defer stop.Release()
			return stop.Explain(f.Run(stop, a.Console))
		},
	}
	fs := c.Flags()
	fs.DurationVar(&f.Span, "for", 8*time.Hour, "how long")
	fs.Float64Var(&f.Faults, "faults", 10, "percent of evaluations with a fault: half are killed workers, half faulty "+
		"kernels")
	fs.StringVar(&f.Strategy, "strategy", "random", "as for darwarp search")
	fs.Uint64Var(&f.Seed, "seed", 1, "seed of the search and of the faults")
	fs.StringVar(&f.Store, "store", "", "keep the run in this file (default: none is kept)")
	fs.BoolVar(&f.JSON, "json", false, "print JSON")
	fs.BoolVar(&f.GateTest, "gate-test", true, "first send a few cheats and honest kernels through the gate")
	addTarget(c, &f.Target)
	return c
}
