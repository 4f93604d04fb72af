package gpu

import (
	"errors"

	"darwarp/eval/internal/device"
)

// halves is from how many pairs on a duel is fought in two parts, in which the sides change places: where machine code
// lies can make a difference, and where scratch lies may. On an H200 (2026-11-22) a kernel of 7.6 us was up to 0.4 %
// faster than itself in all 60 pairs of a duel, and in another as much slower. A few pairs are one part.
const halves = 8

// duel measures two contenders in turn.
func (s *Session) duel(req *device.Duel, phase func(string)) (*device.DuelReply, error) {
	if err := s.beginRequest(); err != nil {
		return nil, err
	}
	d := device.NewDuel(req, &s.prep, s.rng, phase, &opponents{s: s, req: req})
	d.Halves = halves
	if err := d.Fight(); err != nil {
		d.Reply.Faulted = d.Side
		if d.Reply.Fault, err = fault(d.Where, err); err != nil || d.Reply.Fault.Sticky {
			return d.Reply, err
		}
	}
	if err := s.clearCounters(); err != nil {
		return nil, err
	}
	_, found, err := s.endRequest()
	if found != nil { // after the last sample, which found nothing
		side := d.Reply.Side(max(d.Side-1, 0))
		side.Strays = side.Strays.Join(found)
	}
	return d.Reply, errors.Join(err, d.Close(), s.dropScratch(0))
}

// opponents are the contenders of a duel.
type opponents struct {
	s     *Session
	req   *device.Duel
	sides [2]*contender
}

// Load loads one side, and takes arenas for its samples.
func (o *opponents) Load(side, place int, c device.Contender, tape *device.Tape) (_ device.Sampler, err error) {
	if o.sides[side], err = o.s.enter(c, side); err != nil {
		return nil, err
	}
	o.sides[side].seat = seatOf(place, o.req)
	run := o.req.RunOf(side)
	if run.Fresh > 0 {
		return o.s.newFresh(o.sides[side], run, tape)
	}
	m, err := o.s.sampler(o.sides[side], run, 0, tape)
	if err != nil {
		return nil, err
	}
	m.watch = true
	return m, nil
}

// Unload unloads a side. Its scratch stays where it is for whoever comes to that place, but for what has no place.
func (o *opponents) Unload(side int) error {
	c := o.sides[side]
	if c == nil {
		return nil
	}
	o.sides[side] = nil
	return errors.Join(o.s.leave(c), o.s.dropScratch(largeScratch+1))
}
