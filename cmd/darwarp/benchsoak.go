package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/report"
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
			f.problem, f.plain, f.noBaseline = args[0], true, true
			f.budget = store.Budget{For: f.span}
			switch {
			case f.span < 8*time.Second:
				return usagef("--for %v: expected 8s or more, for its quarters are compared", f.span)
			case f.faults < 0 || f.faults > 50:
				return usagef("--faults %v: expected a percentage from 0 to 50", f.faults)
			case !slices.Contains(evolve.Strategies(), f.strategy):
				return usagef("--strategy %q: expected one of %v", f.strategy, evolve.Strategies())
			}
			stop := onInterrupt(c.Context())
			defer stop.release()
			return stop.explain(a.soak(stop, f))
		},
	}
	fs := c.Flags()
	fs.DurationVar(&f.span, "for", 8*time.Hour, "how long")
	fs.Float64Var(&f.faults, "faults", 10, "percent of evaluations with a fault: half are killed workers, half faulty kernels")
	fs.StringVar(&f.strategy, "strategy", "random", "as of darwarp search")
	fs.Uint64Var(&f.seed, "seed", 1, "of the search and of the faults")
	fs.StringVar(&f.store, "store", "", "keep the run in this file (default: none is kept)")
	fs.BoolVar(&f.json, "json", false, "print JSON")
	fs.BoolVar(&f.gateTest, "gate-test", true, "first send a few cheats and honest kernels through the gate")
	f.target.addTo(c)
	return c
}

// soaked is what a soak found.
type soaked struct {
	Seconds   float64                 `json:"seconds"`
	Evals     int                     `json:"evals"`
	Lost      int                     `json:"lost"` // by killed workers, asked for again
	Outcomes  map[kernels.Outcome]int `json:"outcomes"`
	Struck    map[string]int          `json:"struck"`  // what was done to workers
	Planted   map[string]int          `json:"planted"` // faults in kernels
	Passed    []string                `json:"passed"`  // planted faults that were not found
	Champions int                     `json:"champions"`
	Worse     []string                `json:"worse"`   // champions slower than the one before
	Twice     int                     `json:"twice"`   // verdicts told twice
	Missing   int                     `json:"missing"` // told and not stored
	Untold    int                     `json:"untold"`  // stored and not told
	Trends    []soak.Trend            `json:"trends"`
	Early     float64                 `json:"early"`       // verdicts a second in the second quarter
	Late      float64                 `json:"late"`        // and in the last
	PerK      float64                 `json:"bytes_per_k"` // of the store, for 1,000 verdicts
	Samples   []soak.Sample           `json:"samples"`
}

// slowed is the share of the early rate below which the late one counts as slower.
const slowed = 0.95

// bad lists what is not as it must be.
func (r *soaked) bad() []string {
	var out []string
	say := func(is bool, format string, args ...any) {
		if is {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	say(r.Evals == 0, "no evaluation came to a verdict")
	say(r.Twice > 0, "%d verdicts were told twice", r.Twice)
	say(r.Missing > 0, "%d acknowledged verdicts are not stored", r.Missing)
	say(r.Untold > 0, "%d stored verdicts were never told", r.Untold)
	for _, w := range r.Worse {
		say(true, "the champion got worse: %s", w)
	}
	for _, p := range r.Passed {
		say(true, "a planted fault passed: %s", p)
	}
	for _, t := range r.Trends {
		say(t.Bad, "%s grew from %.0f to %.0f (limit %.0f)", t.Name, t.Early, t.Late, t.Limit)
	}
	say(r.Early == 0, "no verdict in the second quarter, or too short for quarters")
	say(r.Late < slowed*r.Early, "%.2f verdicts a second at the end, %.2f early on", r.Late, r.Early)
	return out
}

func (a *app) soak(stop *interrupts, f soakFlags) (err error) {
	if f.store == "" {
		dir, err := os.MkdirTemp("", "darwarp-soak-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		f.store = dir + "/soak.db"
	}
	s, run, err := a.begin(stop.soft, &f.searchFlags)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(), run.Close()) }()
	if s.Device().Kind == "replay" {
		return usagef("bench soak: a recording has no workers to kill: expected a GPU or --device cpu")
	}
	w := newSoakWatch(s, f, run.Path())
	s.Evaluator = w.saboteur
	s.hear = append(s.hear, w.hear)
	ended := w.sample(stop.soft)
	sum, err := a.drive(stop, f.searchFlags, s, run)
	ended()
	if err != nil {
		return err
	}
	r, err := w.report(run, sum)
	if err != nil {
		return err
	}
	if f.json {
		err = a.printJSON(r)
	} else {
		a.soakText(r)
	}
	if err == nil && len(r.bad()) > 0 {
		err = quietly(exitFailed)
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

func newSoakWatch(s *session, f soakFlags, path string) *soakWatch {
	share := f.faults / 100 / 2
	return &soakWatch{share: share, path: path, saboteur: soak.NewSaboteur(s.Evaluator, share, f.seed), rng: rand.New(rand.NewPCG(f.seed, 2)),
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
	r.Early, r.Late = soak.Rates(w.samples)
	if n := len(w.samples); n > 0 && r.Evals > 0 {
		r.PerK = float64(w.samples[n-1].StoreBytes) / float64(w.samples[n-1].Evals) * 1000
	}
	return r, nil
}

func (a *app) soakText(r *soaked) {
	report.Fields(a.out, "", [2]string{"verdicts", fmt.Sprintf("%s in %s, %d lost and asked for again", report.Count(r.Evals), report.Duration(time.Duration(r.Seconds*1e9)), r.Lost)},
		[2]string{"workers", tally(r.Struck)}, [2]string{"planted", tally(r.Planted)},
		[2]string{"champions", fmt.Sprintf("%d, each faster than the one before: %v", r.Champions, len(r.Worse) == 0)},
		[2]string{"ledger", fmt.Sprintf("%d told twice, %d told and not stored, %d stored and not told", r.Twice, r.Missing, r.Untold)},
		[2]string{"rate", fmt.Sprintf("%.2f verdicts a second in the second quarter, %.2f in the last", r.Early, r.Late)},
		[2]string{"store", fmt.Sprintf("%s for 1,000 verdicts", report.Bytes(int(r.PerK)))})
	fmt.Fprintln(a.out)
	t := report.NewTable("lrrr", "", "second quarter", "last quarter", "limit")
	for _, x := range r.Trends {
		show := func(v float64) string { return report.Count(int(v)) }
		if x.Early > 1<<20 {
			show = func(v float64) string { return report.Bytes(int(v)) }
		}
		t.Row(x.Name, show(x.Early), show(x.Late), show(x.Limit))
	}
	t.Write(a.out)
	fmt.Fprintln(a.out)
	outcomeTable(r.Outcomes).Write(a.out)
	fmt.Fprintln(a.out)
	for _, b := range r.bad() {
		fmt.Fprintln(a.out, "NOT AS IT MUST BE:", b)
	}
	if len(r.bad()) == 0 {
		fmt.Fprintln(a.out, "nothing lost, nothing grew, nothing got worse")
	}
}

// tally lists counts by name.
func tally(counts map[string]int) string {
	var parts []string
	for name, n := range counts {
		parts = append(parts, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(parts)
	if len(parts) == 0 {
		return "none"
	}
	text := parts[0]
	for _, p := range parts[1:] {
		text += ", " + p
	}
	return text
}
