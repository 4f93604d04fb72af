package evolve

import (
	"errors"
	"fmt"
	"time"

	"darwarp/kernels"
)

// controlEvery is how long a noise that was measured is believed (A/A control, as in online experiments: Kohavi,
// Tang, Xu, Trustworthy Online Controlled Experiments, 2020, 19).
const controlEvery = 30 * time.Minute

// control is when the noise is measured next.
type control struct {
	can   bool // the evaluator can measure it
	every time.Duration
	due   <-chan time.Time // nil: never, or it is being measured
	noise float64          // that was told last, 0 none
}

func newControl(can bool) control { return control{can: can, every: controlEvery} }

// wait begins the time until the next measurement, and stop ends it.
func (c *control) wait() {
	if c.can {
		c.due = time.After(c.every)
	}
}

func (c *control) stop() { c.due = nil }

// hear tells when the noise has grown, and stores it.
func (c *control) hear(p kernels.Provenance, j *journal) {
	was, grown := c.grown(p.Noise)
	if !grown {
		return
	}
	j.save(func() error { return j.provenance(p) })
	if was > 0 {
		j.send(Event{Kind: KindNoise, Note: fmt.Sprintf("a kernel against itself now differs by %.2f %%, "+
			"before by %.2f %%: duels are decided with the larger one", 100*p.Noise, 100*was)})
	}
}

// grown takes a noise and reports whether it is larger than the one that was told last, and was so before.
func (c *control) grown(noise float64) (was float64, grown bool) {
	if was = c.noise; noise <= was {
		return was, false
	}
	c.noise = noise
	return was, true
}

// askControl has the champion fight itself, beside the search. While nothing works or all is paused it waits for the
// next time.
func (s *Search) askControl() {
	s.upkeep.control.stop()
	if s.ending.drains() || s.ending.has() {
		return
	}
	if s.championship.champion() == nil || s.steering.paused() || s.outage.on() {
		s.upkeep.control.wait()
		return
	}
	t, err := s.askChampion(forNoise)
	if err != nil {
		s.fail(err)
		return
	}
	s.queue.start(t)
}

// controlled hears of the noise. Anything but a fault of darwarp itself was taken for no answer before it came here.
func (s *Search) controlled(a answer) {
	if errors.Is(a.err, kernels.ErrLost) {
		s.cfg.Log.Warn("the noise could not be measured", "err", a.err)
	}
	s.upkeep.control.hear(s.ev.Provenance(), s.journal)
	s.upkeep.control.wait()
}
