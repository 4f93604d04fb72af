package evolve

import (
	"context"
	"time"

	"darwarp/kernels"
)

// Monitored is what an Evaluator may also be: one that knows how busy its machine is. Machine is called
// from one goroutine, every 2 s, and must return soon after its context ends.
type Monitored interface {
	Machine(ctx context.Context) kernels.Machine
}

// sampleEvery is how far apart samples of the machine are.
const sampleEvery = 2 * time.Second

// unmonitored stands in for an Evaluator that knows nothing of a machine.
type unmonitored struct{}

func (unmonitored) Machine(context.Context) kernels.Machine { return kernels.Machine{} }

// monitor samples the machine beside the loop, for asking NVML may take its time. It ends with the
// search's hard context; what it gives back is closed then.
func (s *Search) monitor() <-chan struct{} {
	var m Monitored = unmonitored{}
	if ev, ok := s.ev.(Monitored); ok {
		m = ev
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(s.every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-s.hard.Done():
				return
			}
			select {
			case s.machines <- m.Machine(s.hard):
			case <-s.hard.Done():
				return
			}
		}
	}()
	return gone
}

// sampled tells a sample. Where the evaluator has no slots to tell of, they are the loop's own.
func (s *Search) sampled(m kernels.Machine) {
	if m.Device.Total == 0 {
		m.Device.Total = max(1, s.ev.Slots())
		m.Device.Busy = min(s.queue.evals, m.Device.Total)
		m.Queue = s.queue.evals - m.Device.Busy
	}
	s.send(Event{Kind: KindMachine, Machine: &m})
}
