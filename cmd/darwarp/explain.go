package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/measure"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/search"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/cmd/darwarp/internal/view"
	"darwarp/evolve"
)

type explainFlags struct {
	session.Target
	measure.ExplainOptions
	json      bool
	challenge bool
}

func (a *app) explainCmd() *cobra.Command {
	var f explainFlags
	c := command("explain", func(c *cobra.Command, args []string) error {
		switch {
		case f.Pairs < 0:
			return exit.Usagef("--pairs %d: expected 0 or more", f.Pairs)
		case f.Counters < 0:
			return exit.Usagef("--counters %d: expected 0 or more", f.Counters)
		}
		stop := console.OnInterrupt(c.Context())
		defer stop.Release()
		return stop.Explain(a.explain(stop, args[0], arg(args, 1), f))
	})
	c.Flags().IntVar(&f.Pairs, "pairs", 10, "how many pairs of choices to take back together, at most")
	c.Flags().IntVar(&f.Counters, "counters", 6,
		"how many choices to profile with ncu beside the winner, if ncu is allowed; 0: none")
	c.Flags().BoolVar(&f.challenge, "challenge", true,
		"let what is faster than the champion become a candidate of the run and challenge it")
	addJSON(c, &f.json)
	addDevice(c, &f.Target)
	return c
}

func (a *app) explain(stop *console.Interrupts, path, name string, f explainFlags) error {
	at := func(s *session.Session, r *record.Record) error {
		e, err := measure.Explain(stop.Soft, s, r, name, f.ExplainOptions, a.Sayf)
		if err != nil {
			return err
		}
		if !f.json {
			a.explainText(s, e)
		}
		if err := a.letChallenge(stop, s, r, e, f); err != nil {
			return err
		}
		if f.json {
			return a.PrintJSON(e)
		}
		return nil
	}
	return measure.With(stop.Soft, path, f.Target, a.Sayf, measure.Has(name), at)
}

// letChallenge has what is faster than the champion challenge it, or says how it can.
func (a *app) letChallenge(stop *console.Interrupts, s *session.Session, r *record.Record, e *measure.Explained,
	f explainFlags) error {
	champion, _ := r.Champion()
	faster := e.Faster()
	if len(faster) == 0 || e.Candidate != champion {
		return nil
	}
	a.Sayf("\nfaster than the champion %s, as shares of its time:", champion.Short())
	for _, i := range faster {
		a.Sayf("  %s  %.4f [%.4f, %.4f]  %s", i.Without.Short(), i.Gain.Ratio, i.Gain.Lo, i.Gain.Hi, evolve.TakenBack(&i))
	}
	if !f.challenge {
		a.Sayf("`darwarp search --resume %s` has them judged and lets them challenge, also with the budget used up.",
			r.Path())
		return nil
	}
	a.Sayf("they are judged and challenge it ...")
	sum, err := search.Challenge(s, r, stop, func(_ *evolve.Search, events <-chan evolve.Event) error {
		return view.LinesOf(a.Console, s, r.Run, 0, true, false).Follow(events)
	}, a.Sayf)
	if err != nil {
		return err
	}
	e.Champion = sum.Champion
	switch {
	case stop.Soft.Err() != nil || sum.Reason == evolve.ReasonAborted:
		a.Sayf("Interrupted; the state is saved. Continue with: darwarp search --resume %s", r.Path())
		return exit.Quietly(exit.Interrupted)
	case sum.Champion == champion:
		a.Sayf("%s remains champion: `darwarp show %s ID` says how they lost.", champion.Short(), r.Path())
	default:
		a.Sayf("champion %s: %s over the naive start. `darwarp explain %s` explains it.", sum.Champion.Short(),
			report.Ratio(sum.Speedup), r.Path())
	}
	return nil
}

// explainText is what choices gain, for people.
func (a *app) explainText(s *session.Session, e *measure.Explained) {
	a.Printf("candidate %s", e.Candidate.Short())
	if rs := e.Resources; len(rs) > 0 {
		a.Printf(": %s registers, %s shared memory, %s occupancy", report.Registers(rs), report.Smem(rs),
			report.Occupancy(rs))
	}
	label := ""
	if s.Device().Kind == "cpu" {
		label = "; CPU times"
	}
	fmt.Fprintln(a.Out, figures.WavesText(", waves ", e.Waves))
	a.Printf("\nwhat each choice gains: time without it over time with it (%s, 99%% intervals%s)\n", s.Cache,
		label)
	t := figures.Insights(s.Objective, s.Workloads, append(slices.Clone(e.Singles), e.Joint))
	t.Indent = "  "
	t.Write(a.Out)
	switch {
	case len(e.Pairs) > 0:
		a.Printf("\nin pairs, those that add up least first\n")
		t := figures.Insights(s.Objective, s.Workloads, e.Pairs)
		t.Indent = "  "
		t.Write(a.Out)
	case e.Joint.Alone > 0 && e.Joint.Gain.Ratio > 0 && len(e.Singles) > 1:
		a.Printf("\nOne by one the choices gain %.2fx, together %.2fx: %s.\n", e.Joint.Alone, e.Joint.Gain.Ratio,
			figures.Interaction(e.Joint))
	}
	if e.Profiler != "" {
		a.Printf("\n%s\n", console.Lines(e.Profiler))
	}
	figures.Counters(a.Out, e.Counters, e.Singles)
}
