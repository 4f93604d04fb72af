package main

import (
	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/eval"
)

// isWorker says that this process is a worker, by its arguments.
func isWorker(args []string) bool { return len(args) > 0 && args[0] == workerName }

const workerName = "worker"

// workerCmd is how darwarp starts itself as a worker process. It is not for people.
func (a *app) workerCmd() *cobra.Command {
	return &cobra.Command{
		Use:                workerName + " KIND",
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
