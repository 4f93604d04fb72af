package console

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"darwarp/cmd/darwarp/internal/exit"
)

// Interrupts turns Ctrl-C and SIGTERM into two contexts: the first signal ends soft (finish what is in
// flight and save), the second ends hard (now).
type Interrupts struct {
	Soft, Hard context.Context
	Press      func() // does what Ctrl-C does, for a terminal that hands over keys and sends no signal
	Release    func()
}

// OnInterrupt listens until Release is called.
func OnInterrupt(ctx context.Context) *Interrupts {
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
	return &Interrupts{soft, hard, press, func() {
		once.Do(func() {
			signal.Stop(signals)
			close(done)
			drain()
			abort()
		})
	}}
}

// Explain turns an error that only says that the user interrupted into the exit code for it.
func (i *Interrupts) Explain(err error) error {
	var coded *exit.Error
	if i.Soft.Err() == nil || errors.As(err, &coded) {
		return err
	}
	return &exit.Error{Code: exit.Interrupted, Err: errors.New("interrupted")}
}
