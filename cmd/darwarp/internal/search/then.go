package search

import (
	"os"
	"strings"

	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/kernels"
	"darwarp/store"
)

// thenEvals is how many candidates a search that goes on at another workload evaluates: the naive start, the best of
// what was found, and a few of their neighbours.
const thenEvals = 24

// Onward are the options of the search that goes on at the workload Then with what a run of these options found. It has
// a file of its own, and at most as much time again.
func (o Options) Onward(run string) Options {
	o.Store, o.From, o.Workloads = o.onwardStore(run), run, []string{o.Then}
	o.Budget = store.Budget{For: o.Budget.For, Evals: thenEvals}
	if o.Objective != string(kernels.Geomean) && o.Objective != string(kernels.Worst) {
		o.Objective = "" // it names a workload of the first
	}
	o.Then, o.GateTest = "", false // this device's gate has just been tested
	return o
}

func (o Options) onwardStore(run string) string {
	return strings.TrimSuffix(run, ".db") + "-" + o.Then + ".db"
}

// checkThen refuses, before a device is opened, what could not go on at the end.
func (o Options) checkThen() error {
	switch {
	case o.Then == "":
		return nil
	case o.Portfolio > 1:
		return exit.Usagef("--then and --portfolio: choose one")
	case strings.ContainsAny(o.Then, "/\\"):
		return exit.Usagef("--then %q: expected a workload", o.Then)
	}
	if o.Store != "" {
		if path := o.onwardStore(o.Store); exists(path) {
			return exit.Usagef("--then %s writes %s, which exists already: choose another --store", o.Then, path)
		}
	}
	return o.Target.HasWorkload("--then", o.Then)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// measures reports whether the winner is measured again at the end: not where the search goes on elsewhere.
func (o Options) measures() bool { return !o.NoBaseline && o.Then == "" }
