package view

import (
	"context"
	"errors"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/tui"
	"darwarp/evolve"
	"darwarp/store"
)

// Here shows a search of this process: in the view as long as that is open, else as lines.
type Here struct {
	*console.Console
	Options   tui.Options
	Interrupt func()          // does what Ctrl-C does
	Gone      <-chan struct{} // closed when the terminal is; nil: it stays
	Search    *evolve.Search
	Run       *store.Run
	Lines     *Lines
}

// Follow shows events until there are no more. When the view is left, or breaks, or its terminal is closed, lines are
// printed.
func (v *Here) Follow(events <-chan evolve.Event) error {
	r, err := record.Of(v.Run) // a bundle of the view's own: the search renders with its own
	if err != nil {
		return errors.Join(err, v.Lines.Follow(events))
	}
	src := tui.Local{File: tui.File{Run: v.Run, Bundle: r.Bundle}, Feed: make(chan evolve.Event, EventQueue),
		Search: v.Search}
	b := tui.NewBoard()
	go b.Follow(src)
	o := v.Options
	o.Steer, o.Here, o.CloseAtEnd, o.Interrupt = true, true, true, v.Interrupt
	ctx, closeView := context.WithCancel(context.Background())
	defer closeView()
	left := make(chan error, 1)
	go func() {
		screen, closeScreen := v.Screen()
		defer closeScreen()
		_, err := tui.Run(ctx, b, src, o, v.In, screen)
		left <- err
	}()
	gone := v.Gone
	v.Lines.quiet = true
	defer func() { v.Lines.quiet = false }()
	for {
		select {
		case e, more := <-events:
			if !more {
				close(src.Feed)
				v.ended(<-left)
				return nil
			}
			v.Lines.take(e)
			src.Feed <- e // Follow takes it whatever the screen does
		case <-gone:
			closeView()
			gone, v.Lines.quiet = nil, false // it was said in the log that the search goes on
		case err := <-left:
			close(src.Feed)
			return v.goOn(err, events)
		}
	}
}

// goOn prints lines after the view was left. Why a view without a terminal ended is no news.
func (v *Here) goOn(why error, events <-chan evolve.Event) error {
	if v.Lines.quiet {
		v.Lines.quiet = false
		v.Sayf("%s: the search goes on. Ctrl-C once finishes what is in flight and saves.", v.Run.Path())
		v.ended(why)
	}
	return v.Lines.Follow(events)
}

// ended says that the view broke, which is no reason for the search to fail.
func (v *Here) ended(err error) {
	if err != nil {
		v.Sayf("the view failed: %v", err)
	}
}
