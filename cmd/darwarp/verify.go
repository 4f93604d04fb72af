package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/kernels"
)

func (a *app) verifyCmd() *cobra.Command {
	var t target
	var f verifyFlags
	c := &cobra.Command{
		Use:   "verify RUN [ID]",
		Short: "Gate and measure a candidate again, on this machine",
		Long: "verify compiles, checks and times a stored candidate again and prints old and new side by side. It\n" +
			"fails when the candidate is wrong now, or slower by more than both intervals and 2 %. With --races it is run on the\n" +
			"processor instead, access by access, and what it does wrong there is named with its line and threads. With --sanitize compute-sanitizer watches it on the GPU.\n" +
			"With --trial it goes through everything that a champion does, 10,000 judged launches included, and the run keeps what came of it: export tells.\n" +
			"With --file nothing is run: every page, record and index of the run's file is read and held against the others.",
		Example: "  darwarp verify gemm.db\n  darwarp verify gemm.db 3fa2\n  darwarp verify gemm.db 3fa2 --races\n  darwarp verify gemm.db --trial\n  darwarp verify gemm.db --file",
		Args:    argsBetween(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if f.file {
				return a.withRecord(args[0], func(r *record) error { return a.verifyFile(c, r) })
			}
			stop := onInterrupt(c.Context())
			defer stop.release()
			if f.trial && t.races {
				return usagef("--trial watches every access, too: leave out --races")
			}
			if f.trial { // the run keeps it
				return stop.explain(a.withSession(stop.soft, args[0], t, func(s *session, r *record) error { return a.verifyOn(stop.soft, s, f, r, arg(args, 1)) }))
			}
			return stop.explain(a.withRecord(args[0], func(r *record) error { return a.verify(stop.soft, t, f, r, arg(args, 1)) }))
		},
	}
	c.Flags().StringVar(&t.device, "device", "auto", "auto (the run's kind), cuda, cpu or replay")
	c.Flags().StringVar(&t.problem, "recording", "", "of a run that was made on a recording: its file")
	c.Flags().BoolVar(&f.json, "json", false, "print JSON")
	c.Flags().BoolVar(&f.trial, "trial", false, "hold it against everything that a champion is; fail unless it stands")
	c.Flags().BoolVar(&f.file, "file", false, "read the whole file of the run instead, and say what is wrong with it; needs no device")
	c.Flags().BoolVar(&f.sanitize, "sanitize", false, "on a GPU: run it under each tool of compute-sanitizer; fail unless all of them find nothing")
	c.Flags().BoolVar(&t.races, "races", false, "look on the cpu device for races, barriers that diverge and accesses out of bounds, wherever the run was made")
	return c
}

type verifyFlags struct{ json, sanitize, trial, file bool }

// verifyFile reads everything that a run holds. It is about no candidate, so it takes neither an ID nor another flag.
func (a *app) verifyFile(c *cobra.Command, r *record) error {
	if c.Flags().NArg() > 1 || c.Flags().NFlag() > 1 {
		return usagef("--file reads the whole run: leave out the ID and the other flags")
	}
	if err := r.Verify(); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: %s and everything else in it can be read, and the indexes agree\n", r.Path(), count(r.Len(), "candidate"))
	return nil
}

// compared is one workload then and now.
type compared struct {
	Workload string         `json:"workload"`
	Old      kernels.Timing `json:"old"`
	New      kernels.Timing `json:"new"`
	Verdict  string         `json:"verdict"` // same, faster or slower
}

func (a *app) verify(ctx context.Context, t target, f verifyFlags, r *record, name string) (err error) {
	if _, err := r.pick(name); err != nil { // before the device is opened
		return err
	}
	s, err := a.sessionOf(ctx, r.Meta(), t)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	s.races = t.races
	return a.verifyOn(ctx, s, f, r, name)
}

func (a *app) verifyOn(ctx context.Context, s *session, f verifyFlags, r *record, name string) error {
	c, err := r.pick(name)
	if err != nil {
		return err
	}
	j, err := r.bundle.VariantJob(c.Variant, s.Device(), s.dtype)
	if err != nil {
		return err
	}
	if j.ID != c.ID {
		a.sayf("note: candidate %s is %s here: the toolchain (then %s, now %s), the include library or the renderer has changed",
			c.ID.Short(), j.ID.Short(), r.Meta().Device.Toolchain, s.Device().Toolchain)
	}
	now, err := s.Evaluate(ctx, &j)
	if err != nil {
		return err
	}
	v := verified{ID: c.ID, Outcome: now.Outcome, Detail: now.Detail, Was: c.Result.Outcome, Proof: s.Provenance()}
	if now.Outcome == kernels.OK {
		if err := a.doubt(ctx, s, f, r, &j, &v); err != nil {
			return err
		}
	}
	if !s.races { // else it is about faults, wherever the times are from
		v.Times = comparePairs(c.Result.Times, now.Times)
	}
	if f.json {
		err = a.printJSON(v)
	} else {
		a.verifiedText(s, c, now, v)
	}
	if err == nil && (!holds(now, v.Times) || f.sanitize && !kernels.AllClean(v.Watched) || v.Trial != nil && v.Trial.Standing() == kernels.Fell) {
		return quietly(exitFailed)
	}
	return err
}

// verified is what verify --json prints.
type verified struct {
	ID      kernels.ID          `json:"id"`
	Outcome kernels.Outcome     `json:"outcome"`
	Detail  string              `json:"detail,omitempty"`
	Was     kernels.Outcome     `json:"was"`
	Times   []compared          `json:"times,omitempty"`
	Proof   kernels.Provenance  `json:"provenance"`
	Watched []kernels.Sanitized `json:"sanitized,omitempty"`
	Trial   *kernels.Trial      `json:"trial,omitempty"`
}

// doubt holds a candidate that is right against what else the flags ask for.
func (a *app) doubt(ctx context.Context, s *session, f verifyFlags, r *record, j *kernels.Job, v *verified) (err error) {
	if f.sanitize {
		if v.Watched, err = a.sanitize(ctx, s.Evaluator, j); err != nil {
			return err
		}
	}
	if f.trial {
		t, err := a.tryCandidate(ctx, s, r, j, v.ID)
		if err != nil {
			return err
		}
		v.Trial = &t
	}
	return nil
}

func (a *app) verifiedText(s *session, c kernels.Candidate, now kernels.Result, v verified) {
	a.verifyText(s.Device().Kind, c, now, v.Times)
	if s.races {
		a.racesText(now)
	}
	if v.Trial != nil {
		fmt.Fprintf(a.out, "\ntrial: %s\n", v.Trial.Standing())
		trialTable(*v.Trial).Write(a.out)
	}
}

func (a *app) verifyText(kind string, c kernels.Candidate, now kernels.Result, pairs []compared) {
	report.Fields(a.out, "", [2]string{"candidate", c.ID.Short() + "  " + c.Variant.Label()},
		[2]string{"outcome", fmt.Sprintf("%s, was %s", now.Outcome, c.Result.Outcome)}, [2]string{"gate", gateText(now.Gate)}, [2]string{"detail", now.Detail})
	if len(pairs) == 0 {
		return
	}
	fmt.Fprintln(a.out)
	label := ""
	if kind == "cpu" {
		label = " (CPU time)"
	}
	t := report.NewTable("llrrrl", "workload", "cache", "then"+label, "now"+label, "now/then", "")
	for _, p := range pairs {
		t.Row(p.Workload, p.New.Cache, report.Interval(p.Old.Median, p.Old.Lo, p.Old.Hi), report.Interval(p.New.Median, p.New.Lo, p.New.Hi),
			fmt.Sprintf("%.3f", p.New.Median/p.Old.Median), p.Verdict)
	}
	t.Write(a.out)
}

// racesText says what watching every access has shown, besides the verdict.
func (a *app) racesText(now kernels.Result) {
	if now.Outcome == kernels.OK {
		fmt.Fprintln(a.out, "races      none found: every access of the check shapes was watched, in one random order of the threads")
	}
	a.showSites(now.Sites)
}

// drift is how far a kernel's time moves between two sessions on one machine, beyond the intervals of
// either: clocks, temperature, where memory came to lie.
const drift = 0.02

// comparePairs puts the times of each workload side by side. Intervals that overlap, give or take the
// drift, are the same time.
func comparePairs(old, now []kernels.Timing) []compared {
	var out []compared
	for _, n := range now {
		for _, o := range old {
			if o.Workload != n.Workload || o.Cache != n.Cache {
				continue
			}
			verdict := "same"
			if n.Lo > o.Hi*(1+drift) {
				verdict = "slower"
			} else if n.Hi < o.Lo*(1-drift) {
				verdict = "faster"
			}
			out = append(out, compared{n.Workload, o, n, verdict})
		}
	}
	return out
}

// holds reports whether the candidate is right and nowhere slower than it was.
func holds(now kernels.Result, pairs []compared) bool {
	if now.Outcome != kernels.OK {
		return false
	}
	for _, p := range pairs {
		if p.Verdict == "slower" {
			return false
		}
	}
	return true
}
