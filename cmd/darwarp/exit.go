package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"darwarp/eval"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// The exit codes, as README.md and the package comment promise them.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNotBeaten   = 3
	exitEnvironment = 4
	exitInterrupted = 130
)

// exitError is an error that knows its exit code. A nil err has been reported already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

func environmentf(format string, args ...any) error {
	return &exitError{exitEnvironment, fmt.Errorf(format, args...)}
}

// quietly ends with a code whose reason is on the screen already.
func quietly(code int) error { return &exitError{code: code} }

// finish says what went wrong and gives the exit code.
func (a *app) finish(err error) int {
	if err == nil {
		return exitDone
	}
	var coded *exitError
	var mistakes kernels.Mistakes
	var environment *eval.EnvError
	var outage *evolve.Outage
	code := exitFailed
	switch {
	case errors.As(err, &coded):
		if code = coded.code; coded.err == nil {
			return code
		}
	case errors.As(err, &environment), errors.As(err, &outage), errors.Is(err, eval.ErrGone):
		code = exitEnvironment
	case errors.As(err, &mistakes), errors.Is(err, store.ErrNotOurs), errors.Is(err, store.ErrExists):
		code = exitUsage
	}
	fmt.Fprintf(a.err, "darwarp: %v\n", err)
	return code
}

// noArgs and argsBetween replace cobra's own checks, whose messages do not say what to type.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if c.HasSubCommands() {
		return usagef("unknown command %q for %q (try %s --help)", args[0], c.CommandPath(), c.CommandPath())
	}
	return usagef("%s takes no argument, got %q", c.CommandPath(), args[0])
}

func argsBetween(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usagef("got %s, expected: %s", count(len(args), "argument"), c.UseLine())
		}
		return nil
	}
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
