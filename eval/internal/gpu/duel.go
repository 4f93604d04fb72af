package gpu

import (
	"errors"

	"darwarp/eval/internal/device"
)

// duel measures two contenders in turn.
func (s *Session) duel(req *Duel, phase func(string)) (*DuelReply, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	d := device.NewDuel(req, &s.prep, s.rng, phase)
	var sides [2]*contender
	err := d.Fight(func(side int, c Contender, tape *Tape) (_ device.Sampler, err error) {
		if sides[side], err = s.enter(c, side); err != nil {
			return nil, err
		}
		return s.opponent(sides[side], req.Run, tape)
	})
	if err != nil {
		d.Reply.Faulted = d.Side
		if d.Reply.Fault, err = fault(d.Where, err); err != nil || d.Reply.Fault.Sticky {
			return d.Reply, err
		}
	}
	if err := s.clearCounters(); err != nil {
		return nil, err
	}
	_, found, err := s.settle()
	if found != nil { // after the last sample, which found nothing
		side := d.Reply.Side(max(d.Side-1, 0))
		side.Strays = side.Strays.Join(found)
	}
	errs := []error{err, d.Close()}
	for _, c := range sides {
		if c != nil {
			errs = append(errs, s.leave(c))
		}
	}
	return d.Reply, errors.Join(append(errs, s.dropScratch())...)
}

// opponent makes a sampler for one side of a duel.
func (s *Session) opponent(c *contender, run Run, tape *Tape) (device.Sampler, error) {
	if run.Fresh > 0 {
		return s.newFresh(c, run, tape)
	}
	m, err := s.sampler(c, run, 0, tape)
	if err != nil {
		return nil, err
	}
	m.watch = true
	return m, nil
}
