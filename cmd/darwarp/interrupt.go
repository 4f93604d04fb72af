package main

import (
	"context"
	"darwarp/cmd/darwarp/internal/exit"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interrupts turns Ctrl-C and SIGTERM into two contexts: the first signal ends soft (finish what is in
// flight and save), the second ends hard (now).
type interrupts struct {
	soft, hard context.Context
	press      func() // does what Ctrl-C does, for a terminal that hands over keys and sends no signal
	release    func()
}

func onInterrupt(ctx context.Context) *interrupts {
	soft, drain := context.WithCancel(ctx)
	hard, abort := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for _, end := range []context.CancelFunc{drain, abort} {
			select {
			case <-signals:
				end()
			case <-done:
				return
			}
		}
	}()
	var once sync.Once
	press := func() {
		select {
		case signals <- os.Interrupt:
		default: // two are waiting: there is no third
		}
	}
	return &interrupts{soft, hard, press, func() {
		once.Do(func() {
			signal.Stop(signals)
			close(done)
			drain()
			abort()
		})
	}}
}

// explain turns an error that only says that the user interrupted into the exit code for it.
func (i *interrupts) explain(err error) error {
	var coded *exit.Error
	if i.soft.Err() == nil || errors.As(err, &coded) {
		return err
	}
	return &exit.Error{Code: exit.Interrupted, Err: errors.New("interrupted")}
}
