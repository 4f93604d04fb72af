package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/perf/benchmath"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/mutate/llm"
)

type benchLLMFlags struct {
	session.Target
	llm   models.Options
	evals int
	runs  int
	seed  uint64
	json  bool
}

func (a *app) benchLLMCmd() *cobra.Command {
	var f benchLLMFlags
	c := &cobra.Command{
		Use:   "llm PROBLEM|DIR|RECORDING",
		Short: "Searches with and without language models, and best of N, with equal evaluations",
		Long: "llm runs three kinds of searches with the same seeds and the same number of evaluations: without language models,\n" +
			"with them, and best of N, where models propose from the naive start and nothing is searched. It tells the champions'\n" +
			"speedups and whether the differences are more than chance: the Mann-Whitney U-test, two-sided. --llm-budget bounds\n" +
			"each search, and not all together. Nothing is stored.",
		Example: "  darwarp bench llm softmax --llm full --llm-model gpt-4.1-mini --evals 200 --runs 5",
		Args:    argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			f.Problem = args[0]
			if f.llm.Config == "" {
				return exit.Usagef("bench llm: name what models are told with --llm")
			}
			if err := f.llm.Check(c.Flags().Changed, false); err != nil {
				return err
			}
			if f.evals < 2 || f.runs < 1 {
				return exit.Usagef("--evals and --runs: expected at least 2 and 1")
			}
			stop := console.OnInterrupt(c.Context())
			defer stop.Release()
			return stop.Explain(a.benchLLM(stop.Soft, f))
		},
	}
	addModels(c.Flags(), &f.llm)
	addTarget(c, &f.Target)
	c.Flags().StringVar(&f.Objective, "objective", "geomean", "what counts over several workloads")
	c.Flags().IntVar(&f.evals, "evals", 100, "evaluations of each search")
	c.Flags().IntVar(&f.runs, "runs", 5, "searches of each kind")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the first")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	return c
}

// llmArm is one kind of search with what it found.
type llmArm struct {
	Name     string    `json:"name"`
	Speedups []float64 `json:"speedups"` // of the champions over the naive start, by seed
	Evals    []int     `json:"evals"`
	Median   float64   `json:"median"`
	P        float64   `json:"p,omitempty"` // that its difference to the first arm is chance
	llm.Spending
}

// kinds of searches that are compared; the first is what the others are compared with.
var llmKinds = []struct {
	name, strategy string
	models         bool
}{
	{"without models", evolve.DefaultStrategy, false},
	{"with models", evolve.DefaultStrategy, true},
	{"best of N", evolve.BestOfN, true},
}

func (a *app) benchLLM(ctx context.Context, f benchLLMFlags) error {
	var arms []llmArm
	for _, k := range llmKinds {
		arm := llmArm{Name: k.name}
		for i := range f.runs {
			sum, spent, err := a.oneLLM(ctx, f, k.strategy, k.models, f.seed+uint64(i))
			if err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			arm.Speedups, arm.Evals = append(arm.Speedups, sum.Speedup), append(arm.Evals, sum.Evals)
			arm.Add(spent, 1)
		}
		arms = append(arms, arm)
	}
	compareLLM(arms)
	if f.json {
		return a.PrintJSON(arms)
	}
	a.llmTable(f, arms)
	return nil
}

// oneLLM runs one search on a device of its own: what was compiled for another is not known to it.
func (a *app) oneLLM(ctx context.Context, f benchLLMFlags, strategy string, ask bool, seed uint64) (sum evolve.Summary, spent llm.Spending, err error) {
	s, err := session.Open(ctx, f.Target, a.Quiet().Sayf)
	if err != nil {
		return sum, spent, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	cfg := evolve.Config{
		Bundle: s.Bundle, DType: s.DType, Workloads: s.Workloads, Objective: s.Objective, Spaces: s.Spaces, Strategy: strategy, Seed: seed,
		Budget: evolve.Budget{Evals: f.evals}, GenesOnly: s.Device().Kind == "replay",
	}
	if ask {
		flags := f.llm
		if strategy == evolve.BestOfN {
			flags.Config = "free"
		}
		adv, err := models.Open(&flags, s, nil, nil, a.Quiet().Sayf)
		if err != nil {
			return sum, spent, err
		}
		defer adv.Close()
		defer func() { spent = adv.Account.Spent() }()
		cfg.Advisor = adv.Advisor
	}
	search, err := evolve.New(cfg, s.Evaluator, nil)
	if err != nil {
		return sum, spent, err
	}
	sum, err = search.Run(ctx, nil)
	return sum, spent, err
}

func compareLLM(arms []llmArm) {
	samples := make([]*benchmath.Sample, len(arms))
	for i := range arms {
		samples[i] = benchmath.NewSample(slices.Clone(arms[i].Speedups), &benchmath.DefaultThresholds)
		arms[i].Median = benchmath.AssumeNothing.Summary(samples[i], 0.95).Center
		if i > 0 {
			arms[i].P = benchmath.AssumeNothing.Compare(samples[0], samples[i]).P
		}
	}
}

func (a *app) llmTable(f benchLLMFlags, arms []llmArm) {
	t := report.NewTable("lrrrrrrr", "search", "median", "least", "most", "evals", "questions", "USD", "p")
	for i, x := range arms {
		p, asked, cost := "", "", ""
		if i > 0 {
			p, asked, cost = fmt.Sprintf("%.3f", x.P), report.Count(x.Calls), models.USD(x.Spending)
		}
		t.Row(x.Name, fmt.Sprintf("%.3fx", x.Median), fmt.Sprintf("%.3fx", slices.Min(x.Speedups)), fmt.Sprintf("%.3fx", slices.Max(x.Speedups)),
			slices.Max(x.Evals), asked, cost, p)
	}
	t.Write(a.Out)
	a.Sayf("\n%s", llmVerdict(f.runs, arms))
}

// surely is the p below which a difference is told as one.
const surely = 0.05

// llmVerdict says in a sentence what the figures allow to say.
func llmVerdict(runs int, arms []llmArm) string {
	plain, with := arms[0], arms[1]
	switch {
	case with.P >= surely && runs < 4:
		return fmt.Sprintf("With %d searches of each kind no difference can be told from chance: use more --runs.", runs)
	case with.P >= surely:
		return fmt.Sprintf("The searches with models and those without cannot be told apart (p = %.2f).", with.P)
	case cmp.Compare(with.Median, plain.Median) > 0:
		return fmt.Sprintf("With models the median is %.1f %% faster (p = %.3f), for %s USD.", 100*(with.Median/plain.Median-1), with.P, models.USD(with.Spending))
	}
	return fmt.Sprintf("With models the median is %.1f %% slower (p = %.3f).", 100*(plain.Median/with.Median-1), with.P)
}
