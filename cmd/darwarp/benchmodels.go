package main

import (
	"context"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/bench"
	"darwarp/cmd/darwarp/internal/exit"
)

func (a *app) benchLLMCmd() *cobra.Command {
	var f bench.Models
	c := command("bench llm", func(c *cobra.Command, args []string) error {
		f.Problem = args[0]
		if f.LLM.Config == "" {
			return exit.Usagef("bench llm: choose with --llm what models are told")
		}
		if err := f.LLM.Check(c.Flags().Changed, false); err != nil {
			return err
		}
		if f.Evals < 2 {
			return exit.Usagef("--evals %d: expected 2 or more", f.Evals)
		}
		if f.Runs < 1 {
			return exit.Usagef("--runs %d: expected 1 or more", f.Runs)
		}
		return interruptible(c, func(ctx context.Context) error { return f.Run(ctx, a.Console) })
	})
	a.addModels(c.Flags(), &f.LLM)
	addTarget(c, &f.Target)
	c.Flags().StringVar(&f.Objective, "objective", "geomean", "the score over several workloads")
	c.Flags().IntVar(&f.Evals, "evals", 100, "evaluations of each search")
	c.Flags().IntVar(&f.Runs, "runs", 5, "searches of each kind")
	addSeed(c, &f.Seed, "of the first search")
	addJSON(c, &f.JSON)
	return c
}
