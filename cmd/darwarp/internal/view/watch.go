package view

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/tui"
	"darwarp/evolve"
	"darwarp/store"
)

// Retell tells a finished run's story again, as the lines that its search printed.
func Retell(ctx context.Context, c *console.Console, asJSON bool, r *record.Record, long time.Duration) error {
	events := tui.NewReplay(ctx, tui.File{Run: r.Run, Bundle: r.Bundle}, long)
	s := newLines(c, true, r.Get)
	s.simulated = true
	if asJSON {
		s.events = json.NewEncoder(c.JSON())
	}
	err := s.Follow(events.Events())
	if ctx.Err() != nil {
		return nil // the user left
	}
	return errors.Join(err, events.Err())
}

// Watch shows the events that a live search publishes, as the search itself shows them.
func Watch(ctx context.Context, c *console.Console, asJSON bool, path string, failed int) error {
	if asJSON {
		return store.Watch(ctx, path, func(event []byte) error {
			_, err := evolve.ReadEvent(event)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.JSON(), "%s\n", event)
			return err
		})
	}
	s := newLines(c, false, viewer(path))
	s.simulated, s.state.Failed = true, failed
	defer s.printer.Clear()
	return store.Watch(ctx, path, func(event []byte) error {
		e, err := evolve.ReadEvent(event)
		if err != nil {
			return err
		}
		s.take(e)
		now := time.Now()
		s.printer.Tick(s.at(now), now)
		return nil
	})
}
