package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/measure"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/kernels"
)

// verifyFlags say what is verified, where, and against what.
type verifyFlags struct {
	session.Target
	measure.VerifyOptions
	file bool
	json bool
}

func (a *app) verifyCmd() *cobra.Command {
	var f verifyFlags
	c := command("verify", func(c *cobra.Command, args []string) error {
		if f.file {
			return record.With(a.Sayf, args[0], func(r *record.Record) error { return a.verifyFile(c, r) })
		}
		if f.Trial && f.VerifyOptions.Races {
			return exit.Usagef("--trial watches every access, too: leave out --races")
		}
		f.Target.Races = f.VerifyOptions.Races
		return interruptible(c, func(ctx context.Context) error { return a.verify(ctx, args[0], arg(args, 1), f) })
	})
	addDevice(c, &f.Target)
	fs := c.Flags()
	addJSON(c, &f.json)
	fs.BoolVar(&f.Trial, "trial", false, "hold it against everything that a champion is; fail unless it stands")
	fs.BoolVar(&f.file, "file", false,
		"read the whole file of the run instead, and say what is wrong with it; needs no device")
	fs.BoolVar(&f.Sanitize, "sanitize", false,
		"on a GPU: run it under each tool of compute-sanitizer; fail unless all of them find nothing")
	fs.BoolVar(&f.VerifyOptions.Races, "races", false,
		"look on the cpu device for races, barriers that diverge and accesses out of bounds, wherever the run was made")
	return c
}

// verifyFile reads everything that a run holds. It is about no candidate, so it takes neither an ID nor another flag.
func (a *app) verifyFile(c *cobra.Command, r *record.Record) error {
	if c.Flags().NArg() > 1 || c.Flags().NFlag() > 1 {
		return exit.Usagef("--file reads the whole run: leave out the ID and the other flags")
	}
	if err := r.Verify(); err != nil {
		return err
	}
	a.Printf("%s: %s and everything else in it can be read, and the indexes agree\n",
		r.Path(), report.Quantity(r.Len(), "candidate"))
	return nil
}

func (a *app) verify(ctx context.Context, path, name string, f verifyFlags) error {
	if f.Trial { // the run keeps what came of it
		return measure.With(ctx, path, f.Target, a.Sayf, measure.Has(name), func(s *session.Session, r *record.Record) error {
			return a.verifyOn(ctx, s, r, name, f)
		})
	}
	return record.With(a.Sayf, path, func(r *record.Record) error {
		if _, err := r.Pick(name); err != nil { // before the device is opened
			return err
		}
		f.Target.Few = true
		s, err := session.OpenFor(ctx, r.Meta(), f.Target, a.Sayf)
		if err != nil {
			return err
		}
		return errors.Join(a.verifyOn(ctx, s, r, name, f), s.Close())
	})
}

func (a *app) verifyOn(ctx context.Context, s *session.Session, r *record.Record, name string, f verifyFlags) error {
	v, err := measure.Verify(ctx, s, r, name, f.VerifyOptions, a.Sayf)
	if err != nil {
		return err
	}
	if f.json {
		err = a.PrintJSON(v)
	} else {
		a.verifiedText(r.Path(), s.Device().Kind, v, f.VerifyOptions.Races)
	}
	if err == nil && !v.Holds(f.VerifyOptions) {
		return exit.Quietly(exit.Failed)
	}
	return err
}

func (a *app) verifiedText(path, kind string, v *measure.Verified, races bool) {
	a.verifyText(kind, v.Then, v.Now, v.Times)
	switch {
	case races:
		a.racesText(v.Now)
	case figures.Explained(v.Outcome):
		a.SayWatch(path, v.ID)
	}
	if v.Trial != nil {
		a.Printf("\ntrial: %s\n", v.Trial.Standing())
		figures.Trial(*v.Trial).Write(a.Out)
	}
}

func (a *app) verifyText(kind string, c kernels.Candidate, now kernels.Result, pairs []measure.Compared) {
	if kind == "replay" {
		a.reread(c, now, pairs)
		return
	}
	report.Fields(a.Out, "",
		[2]string{"candidate", c.ID.Short() + "  " + c.Variant.Label()},
		[2]string{"outcome", fmt.Sprintf("%s, was %s", figures.OutcomeText(now), c.Result.Outcome)},
		[2]string{"gate", figures.GateText(now.Gate)})
	if now.Detail != "" {
		a.Printf("detail     %s\n", console.Lines(now.Detail))
	}
	if len(pairs) == 0 {
		return
	}
	fmt.Fprintln(a.Out)
	label := ""
	if kind == "cpu" {
		label = " (CPU time)"
	}
	t := report.NewTable("llrrrl", "workload", "cache", "then"+label, "now"+label, "now/then", "")
	for _, p := range pairs {
		t.Row(p.Workload, p.New.Cache, report.Interval(p.Old.Median, p.Old.Lo, p.Old.Hi),
			report.Interval(p.New.Median, p.New.Lo, p.New.Hi),
			fmt.Sprintf("%.3f", p.New.Median/p.Old.Median), p.Verdict)
	}
	t.Write(a.Out)
}

// reread tells what a recording has of a candidate, which is no verdict on it.
func (a *app) reread(c kernels.Candidate, now kernels.Result, pairs []measure.Compared) {
	report.Fields(a.Out, "",
		[2]string{"candidate", c.ID.Short() + "  " + c.Variant.Label()},
		[2]string{"outcome", fmt.Sprintf("%s in the run, %s in the recording", c.Result.Outcome, now.Outcome)})
	if now.Detail != "" {
		a.Printf("detail     %s\n", console.Lines(now.Detail))
	}
	fmt.Fprintln(a.Out)
	t := report.NewTable("llrrl", "workload", "cache", "run", "recording", "")
	for _, p := range pairs {
		t.Row(p.Workload, p.New.Cache, report.Time(p.Old.Median), report.Time(p.New.Median), p.Verdict)
	}
	if len(pairs) > 0 {
		t.Write(a.Out)
		fmt.Fprintln(a.Out)
	}
	fmt.Fprintln(a.Out, "The recording was read again: nothing was measured, and nothing was checked.")
}

// racesText says what watching every access has shown, besides the verdict.
func (a *app) racesText(now kernels.Result) {
	if now.Outcome == kernels.OK {
		fmt.Fprintln(a.Out, "races      none found: every access of the check shapes was watched, in one random order of "+
			"the threads")
	}
	figures.Sites(a.Out, now.Sites)
}
