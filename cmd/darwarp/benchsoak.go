package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/search"
	"darwarp/cmd/darwarp/internal/soak"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

type soakFlags struct {
	searchFlags
	span   time.Duration
	faults float64 // percent
}

func (a *app) benchSoakCmd() *cobra.Command {
	var f soakFlags
	c := &cobra.Command{
		Use:   "soak PROBLEM|DIR",
		Short: "A long search with injected faults: that nothing is lost, grows or gets worse",
		Long: "soak searches like any search while it kills workers and plants faults in candidates: half of --faults\n" +
			"each. At the end it compares what was told with what is stored, and the last quarter of the time with the\n" +
			"second: memory, open files, goroutines, processes, GPU memory, verdicts a second. Exit code 1 if any of it is not as\n" +
			"it must be. Random points by default, so that the work is the same from beginning to end.",
		Example: "  darwarp bench soak gemm --for 8h\n  darwarp bench soak gemm --for 20m --faults 10 --workload 512",
		Args:    argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			f.Problem, f.plain, f.NoBaseline = args[0], true, true
			f.Budget = store.Budget{For: f.span}
			switch {
			case f.span < 8*time.Second:
				return exit.Usagef("--for %v: expected 8s or more, for its quarters are compared", f.span)
			case f.faults < 0 || f.faults > 50:
				return exit.Usagef("--faults %v: expected a percentage from 0 to 50", f.faults)
			case !slices.Contains(evolve.Strategies(), f.Strategy):
				return exit.Usagef("--strategy %q: expected one of %v", f.Strategy, evolve.Strategies())
			}
			stop := console.OnInterrupt(c.Context())
			defer stop.Release()
			return stop.Explain(a.soak(stop, f))
		},
	}
	fs := c.Flags()
	fs.DurationVar(&f.span, "for", 8*time.Hour, "how long")
	fs.Float64Var(&f.faults, "faults", 10, "percent of evaluations with a fault: half are killed workers, half faulty kernels")
	fs.StringVar(&f.Strategy, "strategy", "random", "as of darwarp search")
	fs.Uint64Var(&f.Seed, "seed", 1, "of the search and of the faults")
	fs.StringVar(&f.Store, "store", "", "keep the run in this file (default: none is kept)")
	fs.BoolVar(&f.json, "json", false, "print JSON")
	fs.BoolVar(&f.GateTest, "gate-test", true, "first send a few cheats and honest kernels through the gate")
	addTarget(c, &f.Target)
	return c
}

func (a *app) soak(stop *console.Interrupts, f soakFlags) (err error) {
	if f.Store == "" {
		dir, err := os.MkdirTemp("", "darwarp-soak-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		f.Store = dir + "/soak.db"
	}
	s, err := search.Open(stop.Soft, f.Options, a.Sayf)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	pool, ok := s.Session.Evaluator.(soak.Pool)
	if !ok {
		return exit.Usagef("bench soak: a recording has no workers to kill: expected a GPU or --device cpu")
	}
	w := newSoakWatch(pool, f, s.Run.Path())
	s.Session.Evaluator = w.saboteur
	s.Listen(w.hear)
	ended := w.sample(stop.Soft)
	sum, err := s.Drive(stop, a.showSearch(s, f.searchFlags, stop.Press))
	ended()
	if err != nil {
		return err
	}
	r, err := w.report(s.Run, sum)
	if err != nil {
		return err
	}
	if f.json {
		err = a.PrintJSON(r)
	} else {
		a.soakText(r)
	}
	if err == nil && len(r.bad()) > 0 {
		err = exit.Quietly(exit.Failed)
	}
	return err
}

// soakWatch strikes, listens and samples beside the search.
type soakWatch struct {
	share    float64
	path     string
	saboteur *soak.Saboteur

	mu        sync.Mutex
	rng       *rand.Rand
	ledger    *soak.Ledger
	struck    map[string]int
	start     time.Time
	evals     int
	gpuMemory int64
	samples   []soak.Sample
	span      time.Duration
}

func newSoakWatch(pool soak.Pool, f soakFlags, path string) *soakWatch {
	share := f.faults / 100 / 2
	return &soakWatch{share: share, path: path, saboteur: soak.NewSaboteur(pool, share, f.Seed), rng: rand.New(rand.NewPCG(f.Seed, 2)),
		ledger: soak.NewLedger(), struck: map[string]int{}, start: time.Now(), span: f.span}
}

// hear takes an event, and now and then a worker's life.
func (w *soakWatch) hear(e evolve.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ledger.Hear(e)
	w.evals = e.Evals
	if e.Machine != nil && len(e.Machine.GPUs) > 0 {
		w.gpuMemory = e.Machine.GPUs[0].MemUsed
	}
	if e.Kind == evolve.KindResult && w.share > 0 && (len(w.struck) == 0 || w.rng.Float64() < w.share) { // a short soak has one, too
		if did := soak.Strike(w.rng); did != "" {
			w.struck[did]++
		}
	}
}

// sample looks 120 times in the soak, but not more often than four times a second, until the function that it returns is called.
func (w *soakWatch) sample(ctx context.Context) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(max(w.span/120, 250*time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			w.mu.Lock()
			evals, memory := w.evals, w.gpuMemory
			w.mu.Unlock()
			if at := time.Since(w.start); evals > 0 && at < w.span { // draining is not the pace of the search
				w.samples = append(w.samples, soak.Take(at, evals, memory, w.path))
			}
		}
	})
	return func() { cancel(); done.Wait() }
}

// report draws the balance.
func (w *soakWatch) report(run *store.Run, sum evolve.Summary) (*soaked, error) {
	l := w.ledger
	r := &soaked{Seconds: sum.Elapsed.Seconds(), Evals: sum.Evals, Lost: l.Lost, Outcomes: l.Outcomes, Struck: w.struck, Planted: map[string]int{},
		Champions: l.Champions, Worse: l.Worse(), Trends: soak.Trends(w.samples), Samples: w.samples}
	var err error
	if r.Twice, r.Missing, r.Untold, err = l.Audit(run.Each); err != nil {
		return nil, err
	}
	for id, what := range w.saboteur.Planted() {
		r.Planted[what]++
		if c, err := run.Get(id); err == nil && c.Result.Outcome == kernels.OK {
			r.Passed = append(r.Passed, id.Short()+", "+what)
		}
	}
	r.Early, r.Late, r.Chance = soak.Rates(w.samples)
	if n := len(w.samples); n > 0 && r.Evals > 0 {
		r.PerK = float64(w.samples[n-1].StoreBytes) / float64(w.samples[n-1].Evals) * 1000
	}
	return r, nil
}
