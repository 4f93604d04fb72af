package evolve

import (
	"context"
	"time"

	"darwarp/kernels"
)

// inbox is how others reach the loop, at any time and from any goroutine.
type inbox struct {
	hard     context.Context // ends on Abort
	abort    context.CancelFunc
	work     context.Context // of what the evaluator is asked for: ends on Abort, and when it is cut off
	drop     context.CancelFunc
	requests chan request
	machines chan kernels.Machine
	every    time.Duration // between samples of the machine
	ended    chan struct{} // closed when Run returns
}

// sampleEvery is how far apart samples of the machine are.
const sampleEvery = 2 * time.Second

func newInbox() *inbox {
	i := &inbox{
		requests: make(chan request), machines: make(chan kernels.Machine), every: sampleEvery, ended: make(chan struct{}),
	}
	i.hard, i.abort = context.WithCancel(context.Background())
	i.work, i.drop = context.WithCancel(i.hard)
	return i
}

// stop ends what is in flight.
func (i *inbox) stop() { i.abort() }

// aborted reports whether nothing in flight is waited for.
func (i *inbox) aborted() bool { return i.hard.Err() != nil }

// dropped reports whether what is in flight is left for the next session.
func (i *inbox) dropped() bool { return i.work.Err() != nil }

// ask brings a command to the loop and waits for its answer.
func (i *inbox) ask(ctx context.Context, c Command) error {
	r := request{c, make(chan error, 1)}
	select {
	case i.requests <- r:
	case <-i.ended:
		return ErrEnded
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-r.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-i.ended:
	}
	select { // both were ready
	case err := <-r.answer:
		return err
	default:
		return ErrEnded
	}
}

// monitor samples the machine beside the loop, for asking NVML may take its time. An evaluator that knows of none gives
// nil. It ends with Abort; what it gives back is closed then.
func (i *inbox) monitor(machine func(context.Context) kernels.Machine) <-chan struct{} {
	if machine == nil {
		machine = func(context.Context) kernels.Machine { return kernels.Machine{} }
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(i.every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-i.hard.Done():
				return
			}
			select {
			case i.machines <- machine(i.hard):
			case <-i.hard.Done():
				return
			}
		}
	}()
	return gone
}

// close answers everybody who comes now that the search has ended.
func (i *inbox) close() { close(i.ended) }
