package bench

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/search"
	"darwarp/cmd/darwarp/internal/soak"
	"darwarp/cmd/darwarp/internal/view"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// Soak says how long a search is watched, and how much goes wrong in it.
type Soak struct {
	search.Options
	Span   time.Duration
	Faults float64 // percent
	JSON   bool
}

// Run searches, injects faults, and fails where anything is lost, grows or gets worse.
func (f Soak) Run(stop *console.Interrupts, con *console.Console) (err error) {
	if f.Store == "" {
		dir, err := os.MkdirTemp("", "darwarp-soak-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		f.Store = dir + "/soak.db"
	}
	s, err := search.Open(stop.Soft, f.Options, con.Sayf)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	pool := s.Session.Evaluator
	if !soak.HasWorkers(pool) {
		return exit.Usagef("bench soak: a recording has no workers to kill: expected a GPU or --device cpu")
	}
	w := newSoakWatch(pool, f, s.Run.Path())
	s.Session.Evaluator = w.saboteur
	s.Listen(w.listen)
	ended := w.sample(stop.Soft)
	sum, err := s.Drive(stop, func(_ *evolve.Search, events <-chan evolve.Event) error {
		return view.LinesOf(con, s.Session, s.Run, f.Budget.Evals, true, f.JSON).Follow(events)
	})
	ended()
	if err != nil {
		return err
	}
	r, err := w.report(s.Run, sum)
	if err != nil {
		return err
	}
	if f.JSON {
		err = con.PrintJSON(r)
	} else {
		soakText(con, r)
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

func newSoakWatch(pool evolve.Evaluator, f Soak, path string) *soakWatch {
	share := f.Faults / 100 / 2
	return &soakWatch{share: share, path: path, saboteur: soak.NewSaboteur(pool, share, f.Seed),
		rng:    rand.New(rand.NewPCG(f.Seed, 2)),
		ledger: soak.NewLedger(), struck: map[string]int{}, start: time.Now(), span: f.Span}
}

// listen takes an event, and now and then a worker's life.
func (w *soakWatch) listen(e evolve.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ledger.Hear(e)
	w.evals = e.Evals
	if e.Machine != nil && len(e.Machine.GPUs) > 0 {
		w.gpuMemory = 0
		for _, g := range e.Machine.GPUs {
			w.gpuMemory += max(0, g.MemUsed)
		}
	}
	// A short soak has one, too.
	if e.Kind == evolve.KindResult && w.share > 0 && (len(w.struck) == 0 || w.rng.Float64() < w.share) {
		if did := soak.Strike(w.rng); did != "" {
			w.struck[did]++
		}
	}
}

// sample looks 120 times in the soak, but not more often than four times a second, until the function that it returns
// is called.
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
	r := &soaked{Seconds: sum.Elapsed.Seconds(), Evals: sum.Evals, Lost: l.Lost, Outcomes: l.Outcomes, Struck: w.struck,
		Planted:   map[string]int{},
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
