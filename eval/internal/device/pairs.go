package device

import (
	"errors"
	"math/rand/v2"

	"darwarp/eval/internal/stats"
)

// Opponents loads and unloads the contenders of a duel.
type Opponents interface {
	// Load loads one side and makes its sampler, which records on a tape.
	Load(side int, c Contender, tape *Tape) (Sampler, error)
	// Unload gives back what the sides hold beside their samplers.
	Unload() error
}

// Duelling is a duel that is being fought.
type Duelling struct {
	Reply *DuelReply
	Where string // something was done last
	Side  int    // whose turn it was: 1 A's, 2 B's

	// Halves is from how many pairs on they are taken in two parts, for which the sides are loaded in either order; the
	// order of the first is drawn. 0: A is loaded first, for all of them.
	Halves int

	req       *Duel
	prepare   *Prepare
	rng       *rand.Rand
	phase     func(string)
	opponents Opponents
	samplers  [2]Sampler
	tapes     [2]*Tape
}

// NewDuel begins to answer a request. rng draws the sets of fresh samples, and the order of loading.
func NewDuel(req *Duel, prepare *Prepare, rng *rand.Rand, phase func(string), opponents Opponents) *Duelling {
	d := &Duelling{Reply: &DuelReply{}, req: req, prepare: prepare, rng: rng, phase: phase, opponents: opponents}
	for side := range d.tapes {
		d.tapes[side] = prepare.NewTape(req.Record, side, req.Pairs)
	}
	return d
}

// Fight measures two contenders in turn: A B B A A B B A ... Of an error Where and Side tell when it came up. Wrong
// outputs and strays end the duel.
func (d *Duelling) Fight() error {
	first, half := 0, d.req.Pairs
	if d.Halves > 0 {
		first = int(d.rng.Uint64() & 1)
		if d.req.Pairs >= d.Halves {
			half = d.req.Pairs / 2
		}
	}
	bad, err := d.part(first, 0, half)
	if !bad && err == nil && half < d.req.Pairs {
		if err = d.Close(); err == nil {
			bad, err = d.part(1-first, half, d.req.Pairs)
		}
	}
	if bad || err != nil {
		return err
	}
	for side, tape := range d.tapes {
		d.Reply.Side(side).Recorded = tape.Cases()
	}
	return nil
}

// part loads both sides and takes some of the pairs. bad reports that a side was found out.
func (d *Duelling) part(first, from, to int) (bad bool, err error) {
	for _, side := range []int{first, 1 - first} {
		d.begin("load", side)
		if d.samplers[side], err = d.opponents.Load(side, []Contender{d.req.A, d.req.B}[side], d.tapes[side]); err != nil {
			return false, err
		}
	}
	return d.pairs(from, to)
}

// Close gives back what the sides hold.
func (d *Duelling) Close() error {
	var errs []error
	for _, s := range d.samplers {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	d.samplers = [2]Sampler{}
	return errors.Join(append(errs, d.opponents.Unload())...)
}

// begin notes whose turn it is.
func (d *Duelling) begin(what string, side int) {
	d.Where, d.Side = what+" "+Sides[side], side+1
	d.phase(Turn(d.req.Run.Workload, side))
}

// pairs takes a warm-up of each side whose calls are not slow, and then some of the pairs. Both sides of a pair have
// the same sets in the same order.
func (d *Duelling) pairs(from, to int) (bad bool, err error) {
	for side := range d.samplers {
		if d.req.Estimates[side] >= SlowCall {
			continue
		}
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

// draw is the sets of a fresh sample.
func (d *Duelling) draw() []int {
	return DrawTurn(d.rng, d.req.Run.Fresh, min(d.samplers[0].Sets(), d.samplers[1].Sets()))
}

// sample takes one of a side. Wrong outputs and strays end the duel: what comes after them says nothing.
func (d *Duelling) sample(side int, turn []int, counts bool) (bad bool, err error) {
	d.begin("duel "+d.req.Run.Workload+",", side)
	r, err := d.samplers[side].Sample(turn)
	if err != nil {
		return false, err
	}
	into := d.Reply.Side(side)
	into.Checked, into.Wrong, into.Strays = into.Checked+r.Checked, into.Wrong+r.Wrong, into.Strays.Join(r.Strays)
	if counts {
		into.Samples, into.Clock = append(into.Samples, r.Nanos), append(into.Clock, r.MHz)
		if r.Repeat > 0 {
			into.Repeat = append(into.Repeat, r.Repeat)
		}
	}
	return into.Wrong > 0 || into.Strays != nil, nil
}
