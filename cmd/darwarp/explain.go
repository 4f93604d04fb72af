package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/measure"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
)

type explainFlags struct {
	session.Target
	measure.ExplainOptions
	json bool
}

func (a *app) explainCmd() *cobra.Command {
	var f explainFlags
	c := command("explain", func(c *cobra.Command, args []string) error {
		if f.Pairs < 0 || f.Counters < 0 {
			return exit.Usagef("--pairs and --counters: expected nothing below 0")
		}
		return interruptible(c, func(ctx context.Context) error { return a.explain(ctx, args[0], arg(args, 1), f) })
	})
	c.Flags().IntVar(&f.Pairs, "pairs", 10, "how many pairs of choices to take back together, at most")
	c.Flags().IntVar(&f.Counters, "counters", 6,
		"how many choices to profile with ncu beside the winner, if ncu is allowed; 0: none")
	addJSON(c, &f.json)
	addDevice(c, &f.Target)
	return c
}

func (a *app) explain(ctx context.Context, path, name string, f explainFlags) error {
	return measure.With(ctx, path, f.Target, a.Sayf, func(s *session.Session, r *record.Record) error {
		e, err := measure.Explain(ctx, s, r, name, f.ExplainOptions, a.Sayf)
		switch {
		case err != nil:
			return err
		case f.json:
			return a.PrintJSON(e)
		}
		a.explainText(s, e)
		return nil
	})
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
	case e.Joint.Alone > 0 && len(e.Singles) > 1:
		a.Printf("\nOne by one the choices gain %.2fx, together %.2fx: they add up.\n", e.Joint.Alone,
			e.Joint.Gain.Ratio)
	}
	if e.Profiler != "" {
		a.Printf("\n%s\n", console.Lines(e.Profiler))
	}
	figures.Counters(a.Out, e.Counters, e.Singles)
}
