package main

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/attach"
	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/search"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

type steerFlags struct {
	evals int
	time  time.Duration
}

func (a *app) steerCmd() *cobra.Command {
	var f steerFlags
	c := command("steer", func(c *cobra.Command, args []string) error {
		if err := f.check(args[1], args[2:]); err != nil {
			return err
		}
		path := record.Locate(args[0])
		if err := record.CheckFile(path); err != nil {
			return err
		}
		command, err := f.command(path, args[1], args[2:])
		if err != nil {
			return err
		}
		if err := tell(c.Context(), path, command); err != nil {
			return inFile(args, err)
		}
		a.Sayf("%s: %s", args[0], said(command))
		return nil
	})
	c.Args = argsBetween(2, math.MaxInt) // each of its commands counts its own
	c.Flags().IntVar(&f.evals, "evals", 0, "add: this many more evaluations")
	c.Flags().DurationVar(&f.time, "for", 0, "add: this much more time, as in 2h")
	return c
}

// inFile has what a search refuses of a file's genes name the file.
func inFile(args []string, err error) error {
	if strings.HasPrefix(err.Error(), "inject: ") { // else no search is there to refuse anything
		return exit.Usagef("%s: %v", args[2], err)
	}
	return err
}

// tell steers a live search; what it refuses is the user's mistake.
func tell(ctx context.Context, path string, c evolve.Command) error {
	err := attach.Steer(ctx, path, c)
	switch {
	case errors.Is(err, store.ErrNotServed):
		return notRunning(path)
	case err != nil && ctx.Err() == nil:
		return exit.Usagef("%v", err)
	}
	return err
}

// notRunning says that a run was named which nobody can be told anything of, or a file that is none.
func notRunning(path string) error {
	run, err := store.View(path)
	if err != nil {
		return err
	}
	if err := run.Close(); err != nil {
		return err
	}
	return exit.Usagef("%s: no search is running on it: %s goes on with it", path,
		cmdline.Of("search", "--resume", path))
}

// steerArgs is how many arguments each command takes; below 0: one or more.
var steerArgs = map[string]int{"pause": 0, "resume": 0, "add": 0, "pin": 1, "unpin": 1, "kill": 1, "inject": 1,
	"weigh": -1}

// check refuses what no run could be told.
func (f steerFlags) check(do string, args []string) (err error) {
	n, known := steerArgs[do]
	switch {
	case !known:
		return exit.Usagef("unknown command %q%s: expected pause, resume, pin, unpin, kill, add, weigh or inject", do,
			report.Meant(do, slices.Sorted(maps.Keys(steerArgs))))
	case do != "add" && (f.evals != 0 || f.time != 0):
		return exit.Usagef("--evals and --for go with `steer RUN add`")
	case n < 0 && len(args) == 0:
		return exit.Usagef("%s: expected NAME=WEIGHT", do)
	case n >= 0 && len(args) != n:
		return exit.Usagef("%s: got %s, expected %d", do, report.Quantity(len(args), "argument"), n)
	}
	switch do {
	case "add":
		return f.checkMore()
	case "weigh":
		_, err = parseWeights(args)
	}
	return err
}

// checkMore refuses to add what is nothing, or less.
func (f steerFlags) checkMore() error {
	switch {
	case f.evals < 0:
		return exit.Usagef("add: --evals %d: expected 1 or more", f.evals)
	case f.time < 0:
		return exit.Usagef("add: --for %v: expected more than 0, as in 2h", f.time)
	case f.evals == 0 && f.time == 0:
		return exit.Usagef("add: expected --evals or --for, with more than 0")
	}
	return nil
}

// command reads what is to be done from the command line, which was checked.
func (f steerFlags) command(path, do string, args []string) (c evolve.Command, err error) {
	c.Do = do
	switch do {
	case "pin", "unpin", "kill":
		c.ID, err = findID(path, args[0])
	case "add":
		c.Evals, c.For = f.evals, f.time
	case "weigh":
		c.Weights, err = parseWeights(args)
	case "inject":
		c.Variant, err = readVariant(args[0])
	}
	return c, err
}

// said is a command as it is confirmed.
func said(c evolve.Command) string {
	switch c.Do {
	case "pause":
		return "paused; continue with `steer RUN resume`"
	case "resume":
		return "going on"
	case "pin":
		return c.ID.Short() + " is pinned"
	case "unpin":
		return c.ID.Short() + " is no longer pinned"
	case "kill":
		return "the lineage of " + c.ID.Short() + " is no longer bred from"
	case "add":
		return "added " + strings.TrimPrefix(search.BudgetText(store.Budget{Evals: c.Evals, For: c.For}), "until ")
	case "weigh":
		return "all scores follow the new weights"
	}
	return "injected " + c.Variant.Label()
}

// findID resolves an ID as a person types it: its first digits, or best.
func findID(path, name string) (kernels.ID, error) {
	run, err := store.View(path)
	if err != nil {
		return kernels.ID{}, err
	}
	c, err := run.Find(name)
	if err != nil {
		err = exit.Usagef("%v", err)
	}
	return c.ID, errors.Join(err, run.Close())
}

func parseWeights(args []string) (map[string]float64, error) {
	weights := map[string]float64{}
	for _, arg := range args {
		name, text, ok := cutLast(arg, "=") // a workload may be named m=1,n=2
		w, err := strconv.ParseFloat(text, 64)
		if !ok || err != nil || !(w >= 0 && w <= math.MaxFloat64) { // nor NaN
			return nil, exit.Usagef("weigh: %q: expected NAME=WEIGHT, a number of 0 or more", arg)
		}
		weights[name] = w
	}
	return weights, nil
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
