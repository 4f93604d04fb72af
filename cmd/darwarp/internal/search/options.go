package search

import (
	"fmt"
	"time"

	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/remote"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/store"
)

// Options say what a search is asked for. Of a run that goes on, those that the run was begun with count.
type Options struct {
	session.Target
	Models     models.Options
	Budget     store.Budget // the zero value: a default one, or that of the run
	Portfolio  int          // end with the best so many kernels; below 2: with one
	Seed       uint64
	Strategy   string
	Store      string       // the run's file; empty: DefaultStore
	Resume     string       // a run to go on with
	From       string       // another run, whose candidates are hints
	GateTest   bool         // first send a few cheats and valid kernels through the gate
	NoBaseline bool         // do not measure the winner again at the end
	Baselines  []string     // measure only these then; empty: all that the problem has
	Viewed     bool         // a view has the screen while it searches: nothing else may write there
	Then       string       // a workload at which the search goes on with what it found (Onward); empty: none
	Fleet      remote.Place // where workers of other machines join; empty: this machine's devices are searched on
}

// The budgets of a search that names none. Opening the device and measuring the winner again come on
// top and keep the whole below three minutes.
const (
	defaultFor   = 2 * time.Minute
	defaultCPU   = 100 * time.Second // what follows takes longer there
	defaultEvals = 400               // on a recording, whose time is not the clock's
)

func defaultBudget(s *session.Session) store.Budget {
	if s.Device().Kind == "replay" {
		return store.Budget{Evals: defaultEvals}
	}
	if s.Device().Kind == "cpu" {
		return store.Budget{For: defaultCPU}
	}
	return store.Budget{For: defaultFor}
}

// DefaultStore names a new run's file by its problem and by the time.
func DefaultStore(problem string) string {
	return fmt.Sprintf("%s-%s.db", problem, time.Now().Format("20060102-150405"))
}
