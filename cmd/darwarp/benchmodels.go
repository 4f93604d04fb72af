package main

import (
	"context"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/bench"
	"darwarp/cmd/darwarp/internal/exit"
)

func (a *app) benchLLMCmd() *cobra.Command {
	var f bench.Models
	c := &cobra.Command{
		Use:   "llm PROBLEM|DIR|RECORDING",
		Short: "Searches with and without language models, and best of N, with equal evaluations",
		Long: `llm runs three kinds of searches with the same seeds and the same number of evaluations: without language models,
with them, and best of N, where models propose from the naive start and nothing is searched. It prints the champions'
speedups and whether the differences are more than chance: the Mann-Whitney U-test, two-sided. --llm-budget bounds
each search, and not all together. Nothing is stored.`,
		Example: "  darwarp bench llm softmax --llm full --llm-model gpt-4.1-mini --evals 200 --runs 5",
		Args:    argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			f.Problem = args[0]
			if f.LLM.Config == "" {
				return exit.Usagef("bench llm: choose with --llm what models are told")
			}
			if err := f.LLM.Check(c.Flags().Changed, false); err != nil {
				return err
			}
			if f.Evals < 2 || f.Runs < 1 {
				return exit.Usagef("--evals and --runs: expected at least 2 and 1")
			}
			return interruptible(c, func(ctx context.Context) error { return f.Run(ctx, a.Console) })
		},
	}
	a.addModels(c.Flags(), &f.LLM)
	addTarget(c, &f.Target)
	c.Flags().StringVar(&f.Objective, "objective", "geomean", "the score over several workloads")
	c.Flags().IntVar(&f.Evals, "evals", 100, "evaluations of each search")
	c.Flags().IntVar(&f.Runs, "runs", 5, "searches of each kind")
	c.Flags().Uint64Var(&f.Seed, "seed", 1, "seed of the first search")
	c.Flags().BoolVar(&f.JSON, "json", false, "print JSON")
	return c
}
