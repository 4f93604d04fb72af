package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/background"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/gatecheck"
	"darwarp/cmd/darwarp/internal/measure"
	"darwarp/cmd/darwarp/internal/models"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/registry"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// The budgets of a search that names none. Opening the device and measuring the winner again come on
// top and keep the whole below three minutes.
const (
	defaultFor   = 2 * time.Minute
	defaultCPU   = 100 * time.Second // what follows takes longer there
	defaultEvals = 400               // on a recording, whose time is not the clock's
)

type searchFlags struct {
	session.Target
	budget     store.Budget
	llm        models.Options
	advisor    *models.Advisor // of llm
	portfolio  int
	seed       uint64
	strategy   string
	store      string
	resume     string
	from       string
	hints      []evolve.Hint // of the run that from names
	require    float64
	plain      bool
	json       bool
	noBaseline bool
	detach     bool
	gateTest   bool
	hear       []func(evolve.Event) // each hears the search's events, and must be quick; may be nil
	skip       context.CancelFunc   // ends what follows the search; may be nil
}

func (a *app) searchCmd() *cobra.Command {
	var f searchFlags
	c := &cobra.Command{
		Use:   "search PROBLEM|DIR|RECORDING",
		Short: "Evolve a kernel; the run is one file",
		Long: "search evolves a kernel for a built-in problem or a problem folder, on the GPU; without one,\n" +
			"on the processor if there is a C++ compiler, at sizes that it can emulate. A recording (what\n" +
			"`darwarp bench record` writes) needs neither. Every candidate is checked before it is timed,\n" +
			"and stored in one file as it comes. Ctrl-C once finishes what is in flight and saves; twice ends now.",
		Example: "  darwarp search gemm\n" +
			"  darwarp search gemm --for 8h --workload 4096 --workload m=128,n=8192,k=8192\n" +
			"  darwarp search ./mykernel --evals 2000 --gene stages=3,4 --store mine.db\n" +
			"  darwarp search --resume mine.db --for 1h\n" +
			"  darwarp search gemm --for 8h --detach",
		Args: argsBetween(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			f.Problem = arg(args, 0)
			if err := f.check(c, len(args)); err != nil {
				return err
			}
			if f.detach {
				return a.detach(c.Context(), f)
			}
			return a.search(c.Context(), f)
		},
	}
	f.addTo(c)
	return c
}

func (f *searchFlags) addTo(c *cobra.Command) {
	fs := c.Flags()
	fs.DurationVar(&f.budget.For, "for", 0, "stop after this long, as in 8h or 90s (with no budget: 2m)")
	fs.IntVar(&f.budget.Evals, "evals", 0, "stop after this many evaluations")
	fs.IntVar(&f.budget.Stall, "stall", 0, "stop after this many evaluations without a gain")
	fs.StringVar(&f.Objective, "objective", "geomean", "what counts over several workloads: geomean, worst (the slowest ratio), or a workload's name")
	fs.IntVar(&f.portfolio, "portfolio", 0, "end with the best so many kernels and a dispatcher by shape (2 or more)")
	fs.StringVar(&f.strategy, "strategy", evolve.DefaultStrategy, "how: "+strings.Join(evolve.Strategies(), ", "))
	fs.Uint64Var(&f.seed, "seed", 0, "seed of the search (default: from the clock)")
	fs.StringVar(&f.store, "store", "", "the run's file (default: PROBLEM-DATE-TIME.db in this folder)")
	fs.StringVar(&f.resume, "resume", "", "go on with this run; its budget counts all its sessions")
	fs.StringVar(&f.from, "from", "", "begin with what this run found: another shape, another GPU, an older template")
	fs.Float64Var(&f.require, "require", 0, "exit 3 unless the winner is this many times as fast as the strongest baseline")
	fs.BoolVar(&f.plain, "plain", false, "print lines, redraw nothing")
	fs.BoolVar(&f.json, "json", false, "print events as JSON lines on stdout")
	fs.BoolVar(&f.noBaseline, "no-baseline", false, "do not measure the winner again beside the baselines at the end")
	fs.BoolVar(&f.detach, "detach", false, "run in the background; return after the first verdict")
	fs.BoolVar(&f.gateTest, "gate-test", true, "first send a few cheats and honest kernels through the gate")
	addModels(fs, &f.llm)
	addTarget(c, &f.Target)
}

// fixedByRun are the flags that a resumed run does not take.
var fixedByRun = []string{"dtype", "cache", "workload", "gene", "seed", "strategy", "store", "objective", "portfolio", "from"}

func (f *searchFlags) check(c *cobra.Command, args int) error {
	switch {
	case args == 0 && f.resume == "":
		return exit.Usagef("name a problem: expected: %s", c.UseLine())
	case f.budget.For < 0 || f.budget.Evals < 0 || f.budget.Stall < 0 || f.require < 0:
		return exit.Usagef("--for, --evals, --stall and --require: expected nothing below 0")
	case f.portfolio < 0 || f.portfolio == 1:
		return exit.Usagef("--portfolio %d: expected 2 or more kernels", f.portfolio)
	case !slices.Contains(evolve.Strategies(), f.strategy):
		return exit.Usagef("--strategy %q: expected %s", f.strategy, strings.Join(evolve.Strategies(), " or "))
	case f.detach && f.require != 0:
		return exit.Usagef("--require: a search in the background has no exit code to tell it by: leave out --detach")
	case f.resume != "" && f.Problem != "" && !session.IsFile(f.Problem):
		return exit.Usagef("--resume takes the problem from the run: leave out %q", f.Problem)
	}
	if f.resume != "" {
		for _, name := range fixedByRun {
			if c.Flags().Changed(name) {
				return exit.Usagef("--%s: the run %s was begun with its own and keeps it: leave the flag out", name, f.resume)
			}
		}
	}
	if err := f.llm.Check(c.Flags().Changed, f.resume != ""); err != nil {
		return err
	}
	if f.resume == "" && !c.Flags().Changed("seed") {
		f.seed = uint64(time.Now().UnixNano())
	}
	return nil
}

// search runs from opening the device to the summary.
func (a *app) search(ctx context.Context, f searchFlags) (err error) {
	stop := console.OnInterrupt(ctx)
	defer stop.Release()
	s, run, err := a.begin(stop.Soft, &f)
	if err != nil {
		return stop.Explain(err)
	}
	defer background.OutliveTerminal(a.Console, run.Path())()
	listed := a.enlist(s, run)
	var sum evolve.Summary
	defer func() {
		err = errors.Join(err, s.Close(), run.Close())
		listed.end(sum)
	}()
	a.searchHead(f, s, run)
	f.hear = append(f.hear, listed.hear, background.Announce(a.log, run.Path()))
	rest, skip := context.WithCancel(stop.Soft) // what follows the search
	defer skip()
	f.skip = skip
	if sum, err = a.drive(stop, f, s, run); err != nil {
		return fmt.Errorf("%w\nwhat was found until then is in %s: darwarp search --resume %s", err, run.Path(), run.Path())
	}
	a.sayEffort(s, sum)
	if sum.Reason == evolve.ReasonAborted {
		skip()
	}
	if fin, ok := s.Evaluator.(measure.Finisher); ok && !f.noBaseline && rest.Err() == nil && !sum.Champion.IsZero() {
		listed.set(registry.Measuring, sum.Evals, sum.Score)
		server := a.serve(run, afterwards(skip))
		err := measure.Final(rest, fin, s, run, sum.Champion, a.Sayf)
		server.close()
		if err != nil && rest.Err() == nil {
			return err
		}
	} else if err := measure.KeepNaive(run); err != nil {
		return err
	}
	rec := &record.Record{Run: run, Bundle: s.Bundle}
	best, err := a.endPortfolio(rest, f, s, rec, sum)
	if err != nil && rest.Err() == nil {
		return err
	}
	if !f.json {
		if err := a.searchSummary(rec, sum, best); err != nil {
			return err
		}
	}
	if stop.Soft.Err() != nil || sum.Reason == evolve.ReasonAborted {
		a.Sayf("Interrupted; the state is saved. Go on with: darwarp search --resume %s", run.Path())
		return exit.Quietly(exit.Interrupted)
	}
	return a.required(f.require, rec, sum)
}

// endPortfolio chooses the kernels that a search was asked to end with; nil where it was not.
func (a *app) endPortfolio(ctx context.Context, f searchFlags, s *session.Session, rec *record.Record, sum evolve.Summary) (*kernels.Portfolio, error) {
	if f.portfolio < 2 || ctx.Err() != nil || sum.Champion.IsZero() {
		return nil, nil
	}
	return measure.Portfolio(ctx, s, rec, f.portfolio, a.Sayf)
}

// begin opens the device and the run's file, new or old.
func (a *app) begin(ctx context.Context, f *searchFlags) (s *session.Session, run *store.Run, err error) {
	if f.resume != "" {
		return a.beginAgain(ctx, f)
	}
	if _, err := os.Stat(f.store); f.store != "" && err == nil { // said before the device is opened, which takes a while
		return nil, nil, exit.Usagef("--store %s exists already: go on with --resume %s, or choose another name", f.store, f.store)
	}
	found, err := readPast(f.from)
	if err != nil {
		return nil, nil, err
	}
	if s, err = session.Open(ctx, f.Target, a.Sayf); err != nil {
		return nil, nil, err
	}
	if f.portfolio > 1 && len(s.Workloads) < 2 {
		return nil, nil, errors.Join(exit.Usagef("--portfolio %d: one shape needs one kernel: name several with --workload", f.portfolio), s.Close())
	}
	if f.gateTest {
		if err := gatecheck.Prove(ctx, f.Target, s, a.Sayf); err != nil {
			return nil, nil, errors.Join(err, s.Close())
		}
	}
	if err := a.adopt(&found, s); err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	f.hints = found.hints
	if f.budget == (store.Budget{}) {
		f.budget = defaultBudget(s)
	}
	if f.store == "" {
		f.store = defaultStore(s.Bundle.Problem.Name)
	}
	if f.advisor, err = models.Open(&f.llm, s, nil, nil, a.Sayf); err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	run, err = store.Create(f.store, store.Meta{
		Version: session.Version(), Created: time.Now().UTC().Truncate(time.Second), Problem: s.Bundle.Problem.Name, Files: s.Bundle.Files,
		DType: s.DType, Workloads: s.Workloads, Objective: s.Objective, Portfolio: f.portfolio, Device: s.Device(), Strategy: f.strategy, Seed: f.seed, Pins: s.Pins, Cache: s.Cache, Budget: f.budget, LLM: f.advisor.Stored(),
	})
	if err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	return s, run, nil
}

func defaultBudget(s *session.Session) store.Budget {
	if s.Device().Kind == "replay" {
		return store.Budget{Evals: defaultEvals}
	}
	if s.Device().Kind == "cpu" {
		return store.Budget{For: defaultCPU}
	}
	return store.Budget{For: defaultFor}
}

// beginAgain opens a run to go on with it, on the device that it was begun on.
func (a *app) beginAgain(ctx context.Context, f *searchFlags) (s *session.Session, run *store.Run, err error) {
	f.resume = record.Locate(f.resume)
	if err := record.CheckFile(f.resume); err != nil {
		return nil, nil, err
	}
	if run, err = store.Open(f.resume); err != nil {
		return nil, nil, err
	}
	if what := run.Restored(); what != "" {
		a.Sayf("%s", what)
	}
	m := run.Meta()
	if f.budget == (store.Budget{}) {
		f.budget = m.Budget
	}
	f.strategy, f.seed, f.Objective, f.portfolio = m.Strategy, m.Seed, string(m.Objective), m.Portfolio
	if s, err = session.OpenFor(ctx, m, f.Target, a.Sayf); err != nil {
		return nil, nil, errors.Join(err, run.Close())
	}
	err = startFrom(s, run)
	if f.gateTest {
		err = errors.Join(err, gatecheck.Prove(ctx, f.Target, s, a.Sayf))
	}
	if err != nil {
		return nil, nil, errors.Join(err, s.Close(), run.Close())
	}
	before, err := run.Exchanges()
	if err == nil {
		f.advisor, err = models.Open(&f.llm, s, m.LLM, before, a.Sayf)
	}
	if err != nil {
		return nil, nil, errors.Join(err, s.Close(), run.Close())
	}
	if err := remember(s.Evaluator, run); err != nil {
		return nil, nil, errors.Join(err, s.Close(), run.Close())
	}
	return s, run, nil
}

// remember tells an evaluator which machine code was judged in earlier sessions.
func remember(ev evolve.Evaluator, run *store.Run) error {
	pool, ok := ev.(interface{ Remember(string, kernels.ID) })
	if !ok {
		return nil
	}
	return run.Each(func(c kernels.Candidate) error {
		if c.Result.Outcome != kernels.Duplicate {
			pool.Remember(c.Result.Code, c.ID)
		}
		return nil
	})
}

// startFrom puts the family first that a run has its naive start from: earlier versions went by the names of families alone.
func startFrom(s *session.Session, run *store.Run) error {
	naive, err := record.Start(run)
	if err != nil || naive == nil {
		return err
	}
	at := slices.IndexFunc(s.Spaces, func(x *kernels.Space) bool { return x.Family.Name == naive.Variant.Family })
	if at > 0 {
		s.Spaces = slices.Concat(s.Spaces[at:at+1], s.Spaces[:at], s.Spaces[at+1:])
	}
	return nil
}

// searchHead says what begins.
func (a *app) searchHead(f searchFlags, s *session.Session, run *store.Run) {
	var names, spaces []string
	for _, w := range s.Workloads {
		names = append(names, w.Name)
	}
	for _, x := range s.Spaces {
		spaces = append(spaces, fmt.Sprintf("%s, %s points", x.Family.Name, report.Count(x.Len())))
	}
	d := s.Device()
	a.Sayf("%s %s: %s", s.Bundle.Problem.Name, s.DType, s.Bundle.Problem.About)
	report.Fields(a.Err, "  ", [2]string{"device", strings.Join(report.NonEmpty(d.Label(), d.Arch, d.Toolchain), ", ")},
		[2]string{"workloads", fmt.Sprintf("%s (%s)", strings.Join(names, ", "), s.Cache)}, [2]string{"objective", objectiveText(s.Objective, f.portfolio, len(names))}, [2]string{"space", strings.Join(spaces, "; ")}, [2]string{"left out", strings.Join(s.LeftOut, "; ")},
		[2]string{"search", fmt.Sprintf("%s, seed %d, %s", f.strategy, f.seed, budgetText(f.budget))}, [2]string{"store", run.Path()})
	a.Sayf("")
}

// objectiveText says what counts, where there is a choice.
func objectiveText(o kernels.Objective, portfolio, workloads int) string {
	if workloads < 2 {
		return ""
	}
	if portfolio > 1 {
		return fmt.Sprintf("%s, with a portfolio of %d kernels", o, portfolio)
	}
	return o.String()
}

func budgetText(b store.Budget) string {
	var parts []string
	if b.For > 0 {
		parts = append(parts, report.Duration(b.For))
	}
	if b.Evals > 0 {
		parts = append(parts, report.Count(b.Evals)+" evaluations")
	}
	if b.Stall > 0 {
		parts = append(parts, fmt.Sprintf("%s without a gain", report.Count(b.Stall)))
	}
	return "until " + strings.Join(parts, " or ")
}
