package gpu

import (
	"errors"
	"fmt"
	"strings"

	"darwarp/eval/internal/stats"
)

// sides name the contenders of a duel in its phases.
var sides = [2]string{"the champion", "the challenger"}

// Turn is the phase in which a duel takes a sample of one side, 0 or 1.
func Turn(workload string, side int) string { return fmt.Sprintf("duel %s, %s", workload, sides[side]) }

// TurnOf says whose sample was being taken in a phase: 1 the champion's, 2 the challenger's, 0 nobody's.
func TurnOf(phase string) int {
	for i, s := range sides {
		if strings.HasPrefix(phase, "duel ") && strings.HasSuffix(phase, ", "+s) {
			return i + 1
		}
	}
	return 0
}

// duel measures two contenders in turn: A B B A A B B A ...
func (s *Session) duel(req *Duel, phase func(string)) (*DuelReply, error) {
	reply := &DuelReply{}
	if err := s.begin(); err != nil {
		return nil, err
	}
	d := &duelling{s: s, req: req, reply: reply, phase: phase}
	err := d.fight()
	if err != nil {
		reply.Faulted = d.turn
		if reply.Fault, err = fault(d.where, err); err != nil || reply.Fault.Sticky {
			return reply, err
		}
	}
	if err := s.clearCounters(); err != nil {
		return nil, err
	}
	_, found, err := s.settle()
	if found != nil { // after the last sample, which found nothing
		side := reply.Side(max(d.turn-1, 0))
		side.Strays = side.Strays.Join(found)
	}
	return reply, errors.Join(err, d.leave())
}

// duelling is a duel that is being fought.
type duelling struct {
	s          *Session
	req        *Duel
	reply      *DuelReply
	phase      func(string)
	contenders [2]*contender
	timers     [2]timer
	tapes      [2]*Tape
	sets       int    // that both sides have, of a fresh run
	where      string // something was done last
	turn       int    // whose it was: 1 A's, 2 B's
}

// halves is how many pairs are taken in two parts, and not in one.
const halves = 8

// fight takes the pairs in two parts, for which the sides are loaded in either order: the side that is loaded first comes to
// lie at the same place each time, and where machine code lies can make a difference. On an H200 (2026-11-22) a kernel
// of 7.6 us was up to 0.4 % faster than itself in all 60 pairs of a duel, and in another as much slower. A few pairs are one
// part, in an order that is drawn.
func (d *duelling) fight() error {
	for i := range sides {
		d.tapes[i] = d.s.prep.NewTape(d.req.Record, i, d.req.Pairs)
	}
	first, half := int(d.s.rng.Uint64()&1), d.req.Pairs/2
	if d.req.Pairs < halves {
		half = d.req.Pairs
	}
	bad, err := d.part(first, 0, half)
	if !bad && err == nil && half < d.req.Pairs {
		if err = d.leave(); err == nil {
			bad, err = d.part(1-first, half, d.req.Pairs)
		}
	}
	if bad || err != nil {
		return err
	}
	for side := range d.tapes {
		d.reply.Side(side).Recorded = d.tapes[side].Cases()
	}
	return nil
}

// part takes some of the pairs. bad reports that a side was found out.
func (d *duelling) part(first, from, to int) (bad bool, err error) {
	if err := d.enter(first); err != nil {
		return false, err
	}
	return d.pairs(from, to)
}

// enter loads both sides and makes their timers.
func (d *duelling) enter(first int) (err error) {
	d.sets = len(d.req.Run.Cases)
	for _, i := range []int{first, 1 - first} {
		c := []Contender{d.req.A, d.req.B}[i]
		d.begin("load", i)
		if d.contenders[i], err = d.s.enter(c, i); err != nil {
			return err
		}
		if d.timers[i], err = d.timer(d.contenders[i]); err != nil {
			return err
		}
	}
	return nil
}

// begin notes whose turn it is.
func (d *duelling) begin(what string, side int) {
	d.where, d.turn = what+" "+sides[side], side+1
	d.phase(Turn(d.req.Run.Workload, side))
}

func (d *duelling) timer(c *contender) (timer, error) {
	if d.req.Run.Fresh == 0 {
		m, err := d.s.steady(c, d.req.Run, 0, d.tapes[c.side])
		if err != nil {
			return nil, err
		}
		m.watch = true
		return m, nil
	}
	if c.Library {
		return nil, errors.New("a library has no fresh regime")
	}
	m, err := d.s.newFresh(&fresh{run: d.req.Run, who: c, call: c.Calls[0], expect: c.expected(0), tape: d.tapes[c.side]})
	if err != nil {
		return nil, err
	}
	d.sets = min(d.sets, len(m.arenas))
	return m, nil
}

func (d *duelling) leave() error {
	var errs []error
	for i, t := range d.timers {
		if t != nil {
			errs = append(errs, t.close())
		}
		if d.contenders[i] != nil {
			errs = append(errs, d.s.leave(d.contenders[i]))
		}
	}
	d.timers, d.contenders = [2]timer{}, [2]*contender{}
	return errors.Join(append(errs, d.s.dropScratch())...)
}

// pairs takes a warm-up of each side and then some of the pairs. Both sides of a pair have the same sets in the same
// order.
func (d *duelling) pairs(from, to int) (bad bool, err error) {
	for side := range d.timers {
		d.tapes[side].Pause(true)
		if bad, err := d.sample(side, d.draw(), false); bad || err != nil {
			return bad, err
		}
		d.tapes[side].Pause(false)
	}
	for i := from; i < to; i++ {
		first, turn := 0, d.draw()
		if !stats.ChampionFirst(i) {
			first = 1
		}
		for _, side := range []int{first, 1 - first} {
			if bad, err := d.sample(side, turn, true); bad || err != nil {
				return bad, err
			}
		}
	}
	return false, nil
}

func (d *duelling) draw() []int { return DrawTurn(d.s.rng, d.req.Run.Fresh, d.sets) }

// sample takes one of a side. Wrong outputs and strays end the duel: what comes after them says nothing about anybody.
func (d *duelling) sample(side int, turn []int, counts bool) (bad bool, err error) {
	d.begin("duel "+d.req.Run.Workload+",", side)
	r, err := d.timers[side].sample(turn)
	if err != nil {
		return false, err
	}
	into := d.reply.Side(side)
	into.Checked, into.Wrong, into.Strays = into.Checked+r.checked, into.Wrong+r.wrong, into.Strays.Join(r.strays)
	if counts {
		into.Samples, into.Clock = append(into.Samples, r.ns), append(into.Clock, r.mhz)
		if r.repeat > 0 {
			into.Repeat = append(into.Repeat, r.repeat)
		}
	}
	return into.Wrong > 0 || into.Strays != nil, nil
}
