package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/background"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/search"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/cmd/darwarp/internal/view"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

type searchFlags struct {
	search.Options
	require float64
	plain   bool
	json    bool
	detach  bool
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
	fs.BoolVar(&f.NoBaseline, "no-baseline", false, "do not measure the winner again beside the baselines at the end")
	fs.BoolVar(&f.detach, "detach", false, "run in the background; return after the first verdict")
	fs.BoolVar(&f.GateTest, "gate-test", true, "first send a few cheats and honest kernels through the gate")
	a.addModels(fs, &f.Models)
	addTarget(c, &f.Target)
	addTrace(c, &f.Target)
}

// fixedByRun are the flags that a resumed run does not take.
var fixedByRun = []string{"dtype", "cache", "workload", "gene", "seed", "strategy", "store", "objective", "portfolio",
	"from"}

func (f *searchFlags) check(c *cobra.Command, args int) error {
	switch {
	case args == 0 && f.Resume == "":
		return exit.Usagef("name a problem: expected: %s", c.UseLine())
	case f.Budget.For < 0 || f.Budget.Evals < 0 || f.Budget.Stall < 0 || f.require < 0:
		return exit.Usagef("--for, --evals, --stall and --require: expected nothing below 0")
	case c.Flags().Changed("for") && f.Budget.For == 0, c.Flags().Changed("evals") && f.Budget.Evals == 0,
		c.Flags().Changed("stall") && f.Budget.Stall == 0:
		return exit.Usagef("--for, --evals and --stall: expected more than 0; without one of them the default counts")
	case f.Portfolio < 0 || f.Portfolio == 1:
		return exit.Usagef("--portfolio %d: expected 2 or more kernels", f.Portfolio)
	case !slices.Contains(evolve.Strategies(), f.Strategy):
		return exit.Usagef("--strategy %q%s: expected %s", f.Strategy,
			report.Meant(f.Strategy, evolve.Strategies()), strings.Join(evolve.Strategies(), " or "))
	case f.detach && f.require != 0:
		return exit.Usagef("--require sets the exit code, which a search in the background does not have: leave out --detach")
	case f.Resume != "" && f.Problem != "" && !session.IsFile(f.Problem):
		return exit.Usagef("--resume takes the problem from the run: leave out %q", f.Problem)
	}
	if f.Resume != "" {
		for _, name := range fixedByRun {
			if c.Flags().Changed(name) {
				return exit.Usagef("--%s: the run %s keeps the value that it was started with; leave the flag out", name, f.Resume)
			}
		}
	}
	if err := f.Models.Check(c.Flags().Changed, f.Resume != ""); err != nil {
		return err
	}
	if f.Resume == "" && !c.Flags().Changed("seed") {
		f.Seed = uint64(time.Now().UnixNano())
	}
	return nil
}

// search runs from opening the device to the summary.
func (a *app) search(ctx context.Context, f searchFlags) (err error) {
	terminal := background.OutliveTerminal(a.Console)
	defer terminal.Release()
	end, err := f.Record()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	stop := console.OnInterrupt(ctx)
	defer stop.Release()
	s, err := search.Open(stop.Soft, f.Options, a.Sayf)
	if err != nil {
		return stop.Explain(err)
	}
	path := s.Run.Path()
	terminal.Log(path)
	defer func() { err = errors.Join(err, s.Close()) }()
	s.List(a.log)
	a.searchHead(s)
	before := s.Run.Len()
	s.Listen(background.Announce(a.log, path))
	sum, best, err := s.Execute(stop, a.showSearch(s, f, stop.Press, terminal.Closed()))
	if err != nil {
		return err
	}
	if !f.json {
		if err := a.searchSummary(s.Record(), sum, best); err != nil {
			return err
		}
	}
	if f.Resume != "" && s.Run.Len() == before && sum.Reason.Spent() {
		a.sayMore(s, sum)
	}
	if stop.Soft.Err() != nil || sum.Reason == evolve.ReasonAborted {
		a.Sayf("Interrupted; the state is saved. Continue with: darwarp search --resume %s", path)
		return exit.Quietly(exit.Interrupted)
	}
	return a.required(f.require, s.Record(), sum)
}

// sayMore says what a run needs whose budget was spent before this session.
func (a *app) sayMore(s *search.Search, sum evolve.Summary) {
	a.Sayf("Nothing was evaluated: the run's budget (%s) was spent before. Name a larger one, as in: "+
		"darwarp search --resume %s --evals %d", budgetText(s.Options.Budget), s.Run.Path(), sum.Evals+max(100, sum.Evals))
}

// showSearch shows a search in the terminal's view, or as lines where there is none, or none any more. interrupt does
// what Ctrl-C does.
func (a *app) showSearch(s *search.Search, f searchFlags, interrupt func(), closed <-chan struct{}) search.Show {
	lines := view.LinesOf(a.Console, s.Session, s.Run, s.Options.Budget.Evals, f.plain, f.json)
	return func(running *evolve.Search, events <-chan evolve.Event) error {
		if !a.CanView() || f.plain || f.json {
			return lines.Follow(events)
		}
		here := view.Here{Console: a.Console, Options: a.viewOptions(s.Run.Path()), Interrupt: interrupt,
			Gone: closed, Search: running, Run: s.Run, Lines: lines}
		return here.Follow(events)
	}
}

// searchHead says what begins.
func (a *app) searchHead(s *search.Search) {
	x, o := s.Session, s.Options
	var names, spaces []string
	for _, w := range x.Workloads {
		names = append(names, w.Name)
	}
	for _, space := range x.Spaces {
		spaces = append(spaces, fmt.Sprintf("%s, %s points", space.Family.Name, report.Count(space.Len())))
	}
	d := x.Device()
	a.Sayf("%s %s: %s", x.Bundle.Problem.Name, x.DType, x.Bundle.Problem.About)
	report.Fields(a.Err, "  ",
		[2]string{"device", strings.Join(report.NonEmpty(d.Label(), d.Arch, d.Toolchain), ", ")},
		[2]string{"workloads", fmt.Sprintf("%s (%s)", strings.Join(names, ", "), x.Cache)},
		[2]string{"objective", objectiveText(x.Objective, o.Portfolio, len(names))},
		[2]string{"space", strings.Join(spaces, "; ")},
		[2]string{"left out", strings.Join(x.LeftOut, "; ")},
		[2]string{"search", fmt.Sprintf("%s, seed %d, %s", o.Strategy, o.Seed, budgetText(o.Budget))},
		[2]string{"store", s.Run.Path()})
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
