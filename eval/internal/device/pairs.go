package device

import (
	"errors"
	"math/rand/v2"

	"darwarp/eval/internal/stats"
)

// Duelling is a duel that is being fought.
type Duelling struct {
	Reply *DuelReply
	Where string // something was done last
	Side  int    // whose turn it was: 1 A's, 2 B's

	req      *Duel
	prepare  *Prepare
	rng      *rand.Rand
	phase    func(string)
	samplers [2]Sampler
	tapes    [2]*Tape
}

// NewDuel begins to answer a request. rng draws the sets of fresh samples.
func NewDuel(req *Duel, prepare *Prepare, rng *rand.Rand, phase func(string)) *Duelling {
	return &Duelling{Reply: &DuelReply{}, req: req, prepare: prepare, rng: rng, phase: phase}
}

// Fight measures two contenders in turn: A B B A A B B A ... load loads one side and makes its sampler, which records
// on a tape. Of an error Where and Side tell when it came up.
func (d *Duelling) Fight(load func(side int, c Contender, tape *Tape) (Sampler, error)) (err error) {
	for side, c := range []Contender{d.req.A, d.req.B} {
		d.begin("load", side)
		d.tapes[side] = d.prepare.NewTape(d.req.Record, side, d.req.Pairs)
		if d.samplers[side], err = load(side, c, d.tapes[side]); err != nil {
			return err
		}
	}
	return d.pairs()
}

// Close gives back what the samplers hold.
func (d *Duelling) Close() error {
	var errs []error
	for _, s := range d.samplers {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// begin notes whose turn it is.
func (d *Duelling) begin(what string, side int) {
	d.Where, d.Side = what+" "+Sides[side], side+1
	d.phase(Turn(d.req.Run.Workload, side))
}

// pairs takes a warm-up of each side and then the pairs. Both sides of a pair have the same sets in the same order.
func (d *Duelling) pairs() error {
	for side := range d.samplers {
		d.tapes[side].Pause(true)
		if bad, err := d.sample(side, d.draw(), false); bad || err != nil {
			return err
		}
		d.tapes[side].Pause(false)
	}
	for i := range d.req.Pairs {
		first, turn := 0, d.draw()
		if !stats.ChampionFirst(i) {
			first = 1
		}
		for _, side := range []int{first, 1 - first} {
			if bad, err := d.sample(side, turn, true); bad || err != nil {
				return err
			}
		}
	}
	for side, tape := range d.tapes {
		d.Reply.Side(side).Recorded = tape.Cases()
	}
	return nil
}

// draw is the sets of a fresh sample.
func (d *Duelling) draw() []int {
	return DrawTurn(d.rng, d.req.Run.Fresh, min(d.samplers[0].Sets(), d.samplers[1].Sets()))
}

// sample takes one of a side. Wrong outputs and strays end the duel: what comes after them says nothing about anybody.
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
