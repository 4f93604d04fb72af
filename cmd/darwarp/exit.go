package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/eval"
	"darwarp/eval/env"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// finish says what went wrong and gives the exit code.
func (a *app) finish(err error) int {
	if err == nil {
		return exit.Done
	}
	var coded *exit.Error
	var mistakes kernels.Mistakes
	var environment *env.Error
	var outage *evolve.Outage
	code := exit.Failed
	switch {
	case errors.As(err, &coded):
		if code = coded.Code; coded.Err == nil {
			return code
		}
	case errors.As(err, &environment), errors.As(err, &outage), errors.Is(err, eval.ErrGone):
		code = exit.Environment
	case errors.As(err, &mistakes), isUnfit(err):
		code = exit.Usage
	}
	a.Sayf("darwarp: %v", err)
	return code
}

// unfit are what is wrong with a file that was named as a run's: another one is to be named, or another moment chosen.
var unfit = []error{store.ErrNotOurs, store.ErrExists, store.ErrDamaged, store.ErrLocked, store.ErrNewer,
	store.ErrNetwork, store.ErrDenied}

func isUnfit(err error) bool {
	return slices.ContainsFunc(unfit, func(known error) bool { return errors.Is(err, known) })
}

// noArgs refuses arguments; of a command with subcommands they are unknown ones.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if c.HasSubCommands() {
		return unknownCommand(c, args[0])
	}
	return exit.Usagef("%s takes no argument, got %q", c.CommandPath(), args[0])
}

func argsBetween(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return exit.Usagef("got %s, expected: %s", report.Quantity(len(args), "argument"), c.UseLine())
		}
		return nil
	}
}

func unknownCommand(c *cobra.Command, word string) error {
	var known []string
	for _, sub := range c.Commands() {
		if !sub.Hidden {
			known = append(known, sub.Name())
		}
	}
	return exit.Usagef("unknown command %q for %q%s (try %s --help)", word, c.CommandPath(), report.Meant(word, known),
		c.CommandPath())
}

// interruptible runs fn under a context that the first Ctrl-C ends.
func interruptible(c *cobra.Command, fn func(ctx context.Context) error) error {
	stop := console.OnInterrupt(c.Context())
	defer stop.Release()
	return stop.Explain(fn(stop.Soft))
}
