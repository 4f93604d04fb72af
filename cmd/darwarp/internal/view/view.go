// Package view shows runs: in the terminal's view or as lines; live, at rest, or told again.
package view

import (
	"context"
	"time"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/tui"
)

// File opens the view on a run that nobody writes; with a time, its story is told again in it.
func File(ctx context.Context, c *console.Console, r *record.Record, replay time.Duration, o tui.Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	file := tui.File{Run: r.Run, Bundle: r.Bundle}
	var src tui.Source = file
	if replay > 0 {
		src = tui.NewReplay(ctx, file, replay)
	}
	_, err := runView(ctx, cancel, c, src, o)
	return err
}

// runView shows a source until the view is left, and waits until nothing reads the source any more.
func runView(ctx context.Context, cancel func(), c *console.Console, src tui.Source, o tui.Options) (tui.Leave, error) {
	b := tui.NewBoard()
	done := make(chan struct{})
	go func() { defer close(done); b.Follow(src) }()
	screen, closeScreen := c.Screen()
	defer closeScreen()
	left, err := tui.Run(ctx, b, src, o, c.In, screen)
	cancel()
	<-done
	return left, err
}
