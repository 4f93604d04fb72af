package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/background"
	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/search"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/cmd/darwarp/internal/view"
	"darwarp/evolve"
)

type searchFlags struct {
	search.Options
	require float64
	plain   bool
	json    bool
	detach  bool
}

// continued is how to go on with a search that was interrupted: with the same workers, where it had any.
func (f *searchFlags) continued(path string) string {
	args := []string{"search", "--resume", path}
	for _, flag := range [][2]string{{"--fleet", f.Fleet.Listen}, {"--fleet-token-file", f.Fleet.TokenFile},
		{"--fleet-creds", f.Fleet.Creds}, {"--fleet-ca", f.Fleet.CA}} {
		if flag[1] != "" {
			args = append(args, flag[:]...)
		}
	}
	return cmdline.Of(args...)
}

func (a *app) searchCmd() *cobra.Command {
	var f searchFlags
	c := command("search", func(c *cobra.Command, args []string) error {
		f.Problem = arg(args, 0)
		if err := f.check(c, len(args)); err != nil {
			return err
		}
		if f.detach {
			return a.detach(c.Context(), f)
		}
		return a.search(c.Context(), f)
	})
	c.Args = argsBetween(0, 1) // none with --resume
	f.addTo(a, c)
	return c
}

func (f *searchFlags) addTo(a *app, c *cobra.Command) {
	fs := c.Flags()
	fs.DurationVar(&f.Budget.For, "for", 0, "stop after this long, as in 8h or 90s (with no budget: 2m)")
	fs.IntVar(&f.Budget.Evals, "evals", 0, "stop after this many evaluations")
	fs.IntVar(&f.Budget.Stall, "stall", 0, "stop after this many evaluations without a gain")
	fs.StringVar(&f.Objective, "objective", "geomean",
		"the score over several workloads: geomean, worst (the slowest ratio), or a workload's name")
	fs.IntVar(&f.Portfolio, "portfolio", 0,
		"end with the best set of this many kernels and a dispatcher by shape (2 or more)")
	fs.StringVar(&f.Strategy, "strategy", evolve.DefaultStrategy, "how: "+strings.Join(evolve.Strategies(), ", "))
	fs.Uint64Var(&f.Seed, "seed", 0, "seed of the search (default: from the clock)")
	fs.StringVar(&f.Store, "store", "", "the run's file (default: PROBLEM-DATE-TIME.db in this folder)")
	fs.StringVar(&f.Resume, "resume", "", "continue this run; its budget counts all its sessions")
	fs.StringVar(&f.From, "from", "", "begin with what this run found: another shape, another GPU, an older template")
	fs.Float64Var(&f.require, "require", 0, "exit 3 unless the winner is this many times as fast as the strongest "+
		"baseline")
	fs.BoolVar(&f.plain, "plain", false, "print lines, redraw nothing")
	fs.BoolVar(&f.json, "json", false, "print events as JSON lines on stdout")
	fs.StringVar(&f.Then, "then", "", "then go on at this workload with what was found, and measure the winner there")
	fs.BoolVar(&f.NoBaseline, "no-baseline", false, "do not measure the winner again beside the baselines at the end")
	fs.StringArrayVar(&f.Baselines, "baseline", nil,
		"measure the winner beside this baseline of the problem only, by its name; repeatable")
	fs.BoolVar(&f.detach, "detach", false, "run in the background; return after the first verdict")
	fs.BoolVar(&f.GateTest, "gate-test", true, "first send a few cheats and honest kernels through the gate")
	fs.StringVar(&f.Fleet.Listen, "fleet", "", "evaluate on other machines, which join at this HOST:PORT, as in :4222, "+
		"or on a NATS that runs already, as in nats://HOST:4222")
	fs.StringVar(&f.Fleet.TokenFile, "fleet-token-file", "", "a file with that server's token, or USER:PASSWORD")
	fs.StringVar(&f.Fleet.Creds, "fleet-creds", "", "a file of credentials for that server")
	fs.StringVar(&f.Fleet.CA, "fleet-ca", "", "a file of certificates that that server's is signed by")
	a.addModels(fs, &f.Models)
	addTarget(c, &f.Target)
	addGPUs(c, &f.Target)
	addTrace(c, &f.Target)
}

// fixedByRun are the flags that a resumed run does not take.
var fixedByRun = []string{"dtype", "cache", "workload", "gene", "seed", "strategy", "store", "objective", "portfolio",
	"from"}

func (f *searchFlags) check(c *cobra.Command, args int) error {
	switch {
	case args == 0 && f.Resume == "":
		return exit.Usagef("name a problem: expected: %s", c.UseLine())
	case f.Portfolio < 0 || f.Portfolio == 1:
		return exit.Usagef("--portfolio %d: expected 2 or more kernels", f.Portfolio)
	case !slices.Contains(evolve.Strategies(), f.Strategy):
		return exit.Usagef("--strategy %q%s: expected %s", f.Strategy,
			report.Meant(f.Strategy, evolve.Strategies()), strings.Join(evolve.Strategies(), " or "))
	case f.Resume != "" && f.Then != "":
		return exit.Usagef("--then goes with a new search: go on with --workload %s --from %s", f.Then, f.Resume)
	case f.NoBaseline && len(f.Baselines) > 0:
		return exit.Usagef("--baseline and --no-baseline: choose one")
	case f.NoBaseline && f.require != 0:
		return exit.Usagef("--require compares with the baselines that --no-baseline leaves out: choose one")
	case f.detach && f.require != 0:
		return exit.Usagef("--require sets the exit code, which a search in the background does not have: leave out --detach")
	case f.detach && f.Fleet.Listen != "":
		return exit.Usagef("--fleet prints how workers join, which a search in the background cannot: leave out --detach")
	case f.Resume != "" && f.Problem != "" && !session.IsFile(f.Problem):
		return exit.Usagef("--resume takes the problem from the run: leave out %q", f.Problem)
	}
	changed := c.Flags().Changed
	if err := f.checkResume(changed); err != nil {
		return err
	}
	if err := cmp.Or(f.checkNumbers(changed), f.Fleet.Check()); err != nil {
		return err
	}
	if err := f.Models.Check(changed, f.Resume != ""); err != nil {
		return err
	}
	if f.Resume == "" && !changed("seed") {
		f.Seed = uint64(time.Now().UnixNano())
	}
	return nil
}

// checkResume refuses what a resumed run cannot be told anew.
func (f *searchFlags) checkResume(changed func(string) bool) error {
	if f.Resume == "" {
		return nil
	}
	for _, name := range fixedByRun {
		if changed(name) {
			return exit.Usagef("--%s: the run %s keeps the value that it was started with; leave the flag out", name, f.Resume)
		}
	}
	return nil
}

// mostRequired is the largest factor that --require takes: no winner is a thousand times as fast as a baseline, so a
// larger one would end every search with exit code 3.
const mostRequired = 1000

// checkNumbers refuses budgets of nothing, and factors that no winner can have or miss.
func (f *searchFlags) checkNumbers(given func(flag string) bool) error {
	switch b := f.Budget; {
	case given("for") && b.For <= 0:
		return exit.Usagef("--for %v: expected more than 0, as in 90s or 8h, or leave it out", b.For)
	case given("evals") && b.Evals < 1:
		return exit.Usagef("--evals %d: expected 1 or more, or leave it out", b.Evals)
	case given("stall") && b.Stall < 1:
		return exit.Usagef("--stall %d: expected 1 or more, or leave it out", b.Stall)
	case given("require") && !(f.require > 0 && f.require <= mostRequired): // nor NaN
		return exit.Usagef("--require %g: expected a factor above 0, up to %d, as in 1.0: as fast as the strongest baseline",
			f.require, mostRequired)
	}
	return nil
}

// search searches, and goes on at another workload where that is asked for.
func (a *app) search(ctx context.Context, f searchFlags) error {
	run, err := a.searchOnce(ctx, f)
	if err != nil || run == "" {
		return err
	}
	a.Sayf("")
	f.Options = f.Onward(run)
	return a.search(ctx, f)
}

// searchOnce runs from opening the device to the summary. run is the file of one that goes on, empty: it ends here.
func (a *app) searchOnce(ctx context.Context, f searchFlags) (run string, err error) {
	terminal := background.OutliveTerminal(a.Console)
	defer terminal.Release()
	end, err := f.Record()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, end()) }()
	stop := console.OnInterrupt(ctx)
	defer stop.Release()
	f.Viewed = a.CanView() && !f.plain && !f.json
	s, err := search.Open(stop.Soft, f.Options, a.Sayf)
	if err != nil {
		return "", stop.Explain(err)
	}
	path := s.Run.Path()
	terminal.Log(path)
	defer func() { err = errors.Join(err, s.Close()) }()
	a.GoesOn = f.continued
	s.List(a.log)
	s.Head(a.Err)
	s.Listen(background.Announce(a.log, path))
	sum, best, err := s.Execute(stop, a.showSearch(s, f, stop.Press, terminal.Closed()))
	if err != nil {
		return "", err
	}
	if f.json {
		err = a.finalEvent(s, sum)
	} else {
		err = a.Summary(s.Record(), s.Session.Bundle.Problem, sum, best)
	}
	if err != nil {
		return "", err
	}
	if stop.Soft.Err() != nil || sum.Reason == evolve.ReasonAborted {
		a.Sayf("Interrupted; the state is saved. Continue with: %s", f.continued(path))
		return "", exit.Quietly(exit.Interrupted)
	}
	if f.Then != "" && !sum.Champion.IsZero() && sum.Reason != evolve.ReasonStopped {
		return path, nil
	}
	return "", a.Required(f.require, s.Record(), sum)
}

// finalEvent tells programs what the final measurement was, where there was one.
func (a *app) finalEvent(s *search.Search, sum evolve.Summary) error {
	if sum.Champion.IsZero() || sum.Estimate || s.Session.Capabilities().Publisher == nil {
		return nil
	}
	return json.NewEncoder(a.JSON()).Encode(evolve.Event{Kind: evolve.KindFinal, Stamp: evolve.Stamp{At: sum.Elapsed},
		Figures: evolve.Figures{Evals: sum.Evals, Champion: sum.Champion, Reign: sum.Score, Speedup: sum.Speedup},
		ID:      sum.Champion, Summary: &sum})
}

// showSearch shows a search in the terminal's view, or as lines where there is none, or none any more. interrupt does
// what Ctrl-C does.
func (a *app) showSearch(s *search.Search, f searchFlags, interrupt func(), closed <-chan struct{}) search.Show {
	lines := view.LinesOf(a.Console, s.Session, s.Run, s.Options.Budget.Evals, f.plain, f.json)
	return func(running *evolve.Search, events <-chan evolve.Event) error {
		if !f.Viewed {
			return lines.Follow(events)
		}
		here := view.Here{Console: a.Console, Options: a.viewOptions(s.Run.Path()), Interrupt: interrupt,
			Gone: closed, Search: running, Run: s.Run, Lines: lines}
		return here.Follow(events)
	}
}
