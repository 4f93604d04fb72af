package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/figures"
	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/tui"
	"darwarp/cmd/darwarp/internal/view"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

func (a *app) watchCmd() *cobra.Command {
	var asJSON, plain bool
	var replay time.Duration
	c := command("watch", func(c *cobra.Command, args []string) error {
		path := record.Locate(args[0])
		if err := record.CheckFile(path); err != nil {
			return err
		}
		if c.Flags().Changed("replay") && replay <= 0 {
			return exit.Usagef("--replay %s: expected how long to take, above 0, as in 30s", replay)
		}
		stop := console.OnInterrupt(c.Context())
		defer stop.Release()
		show := a.CanView() && !plain && !asJSON
		if replay > 0 {
			return record.With(a.Sayf, path, func(r *record.Record) error {
				if show {
					return view.File(stop.Soft, a.Console, r, replay, a.viewOptions(path))
				}
				return view.Retell(stop.Soft, a.Console, asJSON, r, replay)
			})
		}
		if show {
			return a.view(stop.Soft, path)
		}
		return a.watch(stop.Soft, asJSON, path)
	})
	c.Flags().BoolVar(&asJSON, "json", false, "print events as JSON lines; of a finished run, its end state")
	c.Flags().BoolVar(&plain, "plain", false, "print lines, open no view")
	c.Flags().DurationVar(&replay, "replay", 0, "tell the story of a finished run again, in this time, as in 30s")
	return c
}

// view opens the view of a run, live or not.
func (a *app) view(ctx context.Context, path string) error {
	left, err := view.Live(ctx, a.Console, path, a.viewOptions(path))
	if errors.Is(err, store.ErrNotServed) {
		return record.With(a.Sayf, path, func(r *record.Record) error {
			return view.File(ctx, a.Console, r, 0, a.viewOptions(path))
		})
	}
	switch {
	case err != nil:
		return err
	case left == tui.LeftStopped:
		a.Sayf("%s: asked to stop; what is in flight is finished and saved.", path)
	case left == tui.LeftDetached:
		a.Sayf("%s: left running; %s opens the view again.", path, cmdline.Of("watch", path))
	}
	return nil
}

func (a *app) watch(ctx context.Context, asJSON bool, path string) error {
	status, err := store.AskStatus(ctx, path)
	if errors.Is(err, store.ErrNotServed) {
		return record.With(a.Sayf, path, func(r *record.Record) error { return a.endState(asJSON, r) })
	}
	if err != nil {
		return err
	}
	a.Sayf("%s: live since %s, process %d, %s so far, %s. Ctrl-C leaves it running.", path,
		status.Started.Format("15:04:05"), status.PID, report.Quantity(status.Len, "candidate"), standsAt(status))
	err = view.Watch(ctx, a.Console, asJSON, path, progress.Failures(status.Counts))
	if ctx.Err() != nil {
		return nil // the user left
	}
	if err != nil || asJSON {
		return err
	}
	return record.With(a.Sayf, path, func(r *record.Record) error { return a.endState(false, r) })
}

// standsAt is what a live search has found.
func standsAt(s store.Status) string {
	if s.Champion == nil || s.Score <= 0 {
		return "no champion yet"
	}
	return fmt.Sprintf("champion %s: %s over the naive start", s.Champion.Short(), report.Headline(s.Speedup, s.Estimate))
}

// endState says how a run that nobody writes stands.
func (a *app) endState(asJSON bool, r *record.Record) error {
	m, id := r.Meta(), kernels.ID{}
	if champion, ok := r.Champion(); ok {
		id = champion
	}
	if asJSON {
		return a.PrintJSON(store.Status{Version: m.Version, Started: m.Created, Problem: m.Problem, Len: r.Len(),
			Counts: r.Counts(), Champion: &id})
	}
	a.Sayf("%s: no search is writing it.", r.Path())
	a.Printf("%s %s on %s, begun %s: %s\n", m.Problem, m.DType, m.Device.Label(),
		m.Created.Format("2006-01-02 15:04:05 MST"), report.Quantity(r.Len(), "candidate"))
	if id.IsZero() {
		fmt.Fprintln(a.Out, "no champion yet")
	} else {
		c, err := r.Get(id)
		if err != nil {
			return err
		}
		pace, err := r.Pace()
		if err != nil {
			return err
		}
		a.Printf("champion %s: %s over the naive start, evaluation %d\n", c.ID.Short(), report.Paced(pace, c),
			c.Seq)
	}
	fmt.Fprintln(a.Out)
	figures.Outcomes(r.Counts()).Write(a.Out)
	return nil
}

// viewOptions are what every view may do.
func (a *app) viewOptions(path string) tui.Options {
	command := func(do string, args []string) (evolve.Command, error) { return steerFlags{}.command(path, do, args) }
	return tui.Options{UTF8: tui.UTF8(), Command: command, Host: tui.HostSampler(),
		Export: func(ctx context.Context, id kernels.ID, dir string) (string, error) {
			r, err := record.Open(path)
			if err != nil {
				return "", err
			}
			var said bytes.Buffer
			quiet := newApp(&console.Console{In: a.In, Out: io.Discard, Err: &said})
			err = errors.Join(quiet.export(ctx, dir, nil, r, id.String()), r.Close())
			text := fmt.Sprintf("Wrote %s to %s; how to prove it is in its README.md.", id.Short(), dir)
			if first, _, _ := strings.Cut(said.String(), "\n"); strings.HasPrefix(first, "warning: ") {
				text = fmt.Sprintf("Wrote %s to %s, %s", id.Short(), dir, first)
			}
			return text, err
		}}
}
