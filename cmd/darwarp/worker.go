package main

import (
	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/eval"
)

// workerCmd is how darwarp starts itself as a worker process. It is not for people.
func (a *app) workerCmd() *cobra.Command {
	return &cobra.Command{
		Use:                "worker KIND",
		Hidden:             true,
		DisableFlagParsing: true,
		Args:               argsBetween(1, 16),
		RunE: func(_ *cobra.Command, args []string) error {
			if code := eval.WorkerMain(args[0], args[1:]); code != 0 {
				return exit.Quietly(code)
			}
			return nil
		},
	}
}
