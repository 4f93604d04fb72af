package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/progress"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

func (a *app) watchCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "watch RUN",
		Short: "Follow a live run, or see how a finished one ended",
		Args:  argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			path := runPath(args[0])
			if err := isRunFile(path); err != nil {
				return err
			}
			stop := onInterrupt(c.Context())
			defer stop.release()
			return a.watch(stop.soft, asJSON, path)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print events as JSON lines; of a finished run, its end state")
	return c
}

func (a *app) watch(ctx context.Context, asJSON bool, path string) error {
	status, err := store.AskStatus(ctx, path)
	if errors.Is(err, store.ErrNotServed) {
		return a.withRecord(path, func(r *record) error { return a.endState(asJSON, r) })
	}
	if err != nil {
		return err
	}
	a.sayf("%s: live since %s, process %d, %s so far. Ctrl-C leaves it running.", path, status.Started.Format("15:04:05"), status.PID, count(status.Len, "candidate"))
	err = a.followSocket(ctx, asJSON, path, failures(status.Counts))
	if ctx.Err() != nil {
		return nil // the user left
	}
	if err != nil || asJSON {
		return err
	}
	return a.withRecord(path, func(r *record) error { return a.endState(false, r) })
}

// followSocket shows the events that a live search publishes, as the search itself shows them.
func (a *app) followSocket(ctx context.Context, asJSON bool, path string, failed int) error {
	if asJSON {
		return store.Watch(ctx, path, func(event []byte) error {
			_, err := fmt.Fprintf(a.out, "%s\n", event)
			return err
		})
	}
	s := &screen{printer: a.printer(false), columns: width(a.err), find: viewer(path), simulated: true, state: progress.State{Failed: failed}}
	defer s.printer.Clear()
	return store.Watch(ctx, path, func(event []byte) error {
		var e evolve.Event
		if err := json.Unmarshal(event, &e); err != nil {
			return fmt.Errorf("an event of the search cannot be read: %w", err)
		}
		s.take(e)
		now := time.Now()
		s.printer.Tick(s.at(now), now)
		return nil
	})
}

// viewer finds candidates of a live run, each time in a fresh copy: champions are rare.
func viewer(path string) func(kernels.ID) (kernels.Candidate, error) {
	return func(id kernels.ID) (kernels.Candidate, error) {
		r, err := store.View(path)
		if err != nil {
			return kernels.Candidate{}, err
		}
		c, err := r.Get(id)
		return c, errors.Join(err, r.Close())
	}
}

// endState says how a run that nobody writes stands.
func (a *app) endState(asJSON bool, r *record) error {
	m, id := r.Meta(), kernels.ID{}
	if champion, ok := r.Champion(); ok {
		id = champion
	}
	if asJSON {
		return a.printJSON(store.Status{Version: m.Version, Started: m.Created, Problem: m.Problem, Len: r.Len(), Counts: r.Counts(), Champion: &id})
	}
	a.sayf("%s: no search is writing it.", r.Path())
	fmt.Fprintf(a.out, "%s %s on %s, begun %s: %s\n", m.Problem, m.DType, m.Device.Label(), m.Created.Format("2006-01-02 15:04:05 MST"), count(r.Len(), "candidate"))
	if id.IsZero() {
		fmt.Fprintln(a.out, "no champion yet")
	} else {
		c, err := r.Get(id)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "champion %s: %s over the naive start, evaluation %d\n", c.ID.Short(), report.Speedup(c.Score), c.Seq)
	}
	fmt.Fprintln(a.out)
	outcomeTable(r.Counts()).Write(a.out)
	return nil
}
