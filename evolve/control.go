package evolve

import (
	"context"
	"errors"
	"fmt"
	"time"

	"darwarp/kernels"
)

// Controlled is what an Evaluator may also be: one whose noise is to be measured now and then, by the champion in a duel
// with itself. The noise is told by Provenance, and never shrinks within a session. An error that is a
// kernels.ErrLost means that nothing came of it.
type Controlled interface {
	Control(ctx context.Context, champion *kernels.Job) error
}

// controlEvery is how long a noise that was measured is believed (A/A control, as in online experiments: Kohavi, Tang, Xu,
// Trustworthy Online Controlled Experiments, 2020, 19).
const controlEvery = 30 * time.Minute

// control is when the noise is measured next.
type control struct {
	every time.Duration
	due   <-chan time.Time // nil: never, or it is being measured
	noise float64          // that was told last, 0 none
}

func (s *Search) startControl() {
	if _, ok := s.ev.(Controlled); ok {
		s.control.due = time.After(s.control.every)
	}
}

// askControl has the champion fight itself, beside the search. While nothing works or all is paused it waits for the
// next time.
func (s *Search) askControl() {
	if s.stopping || s.reason != "" {
		s.control.due = nil
		return
	}
	if s.champion == nil || s.paused || s.outage.on() {
		s.startControl()
		return
	}
	s.control.due = nil
	f := s.champion.flight()
	f.aside = controlling
	var err error
	if f.job, err = s.job(f); err != nil {
		s.fail(err)
		return
	}
	s.queue.start(f, s.evaluate)
}

// controlled hears of the noise. Anything but a fault of darwarp itself was taken for no answer before it came here.
func (s *Search) controlled(a answer) {
	if errors.Is(a.err, kernels.ErrLost) {
		s.log.Warn("the noise could not be measured", "err", a.err)
	}
	s.hearNoise()
	s.startControl()
}

// hearNoise tells when the noise has grown, and stores it.
func (s *Search) hearNoise() {
	proof := s.ev.Provenance()
	was, now := s.control.noise, proof.Noise
	if now <= was {
		return
	}
	s.control.noise = now
	s.save(func() error {
		_, err := s.keep.PutProvenance(proof)
		return err
	})
	if was > 0 {
		s.send(Event{Kind: KindNoise, Note: fmt.Sprintf("a kernel against itself now differs by %.2f %%, before by %.2f %%: duels are decided with the larger one", 100*now, 100*was)})
	}
}
