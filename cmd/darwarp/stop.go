package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/exit"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/registry"
	"darwarp/evolve"
	"darwarp/store"
)

func (a *app) stopCmd() *cobra.Command {
	var now bool
	c := command("stop", func(c *cobra.Command, args []string) error {
		path := record.Locate(args[0])
		if err := record.CheckFile(path); err != nil {
			return err
		}
		stop := console.OnInterrupt(c.Context())
		defer stop.Release()
		return a.stop(stop.Soft, path, now)
	})
	c.Flags().BoolVar(&now, "now", false, "do not wait for what is in flight, do not measure the winner")
	return c
}

// stopPoll is how often stop looks whether the search is gone.
const stopPoll = 50 * time.Millisecond

func (a *app) stop(ctx context.Context, path string, now bool) error {
	status, err := store.AskStatus(ctx, path)
	if errors.Is(err, store.ErrNotServed) {
		return notRunning(path)
	}
	if err != nil {
		return err
	}
	do := evolve.Command{Do: "stop"}
	if now {
		do.Do = "abort"
	}
	if err := tell(ctx, path, do); err != nil {
		return err
	}
	a.Sayf("%s: stopping, process %d ...", path, status.PID)
	for registry.Exists(status.PID) && sameSearch(ctx, path, status) {
		select {
		case <-time.After(stopPoll):
		case <-ctx.Done():
			a.Sayf("it is still stopping")
			return exit.Quietly(exit.Interrupted)
		}
	}
	return record.With(a.Sayf, path, func(r *record.Record) error { return a.endState(false, r) })
}

// sameSearch reports whether a process that still exists is busy with the run: one that drives several
// runs, one after the other, is not.
func sameSearch(ctx context.Context, path string, before store.Status) bool {
	e, ok := registry.Find(path)
	if ok && e.PID == before.PID {
		return e.State != registry.Ended && e.Alive()
	}
	now, err := store.AskStatus(ctx, path)
	return err == nil && now.PID == before.PID
}
