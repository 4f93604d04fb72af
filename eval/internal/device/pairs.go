package device

import (
	"errors"
	"math/rand/v2"
	"slices"

	"darwarp/eval/internal/stats"
)

// Opponents loads and unloads the contenders of a duel.
type Opponents interface {
	// Load loads one side, as the first or the second of both, and makes its sampler, which records on a tape. place is 0
	// or 1 accordingly: where what a side has for itself lies depends on that, not on the side.
	Load(side, place int, c Contender, tape *Tape) (Sampler, error)
	// Unload gives back what a side holds beside its sampler. Whoever was loaded last is the first to be unloaded.
	Unload(side int) error
}

// Duelling is a duel that is being fought.
type Duelling struct {
	Reply *DuelReply
	Where string // something was done last
	Side  int    // whose turn it was: 1 A's, 2 B's

	// Halves is from how many pairs on they are taken in two parts, in which the sides change places: who is loaded first,
	// lies where the first one lies, is warmed up first and begins the first pair. Who that is in the first part is drawn.
	// 0: it is A, for all pairs.
	Halves int

	req       *Duel
	prepare   *Prepare
	rng       *rand.Rand
	phase     func(string)
	opponents Opponents
	samplers  [2]Sampler
	loaded    []int // sides, in order
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

// Fight measures two contenders in turn: A B B A A B B A ..., or B A A B B A A B ... Of an error Where and Side tell
// when it came up. Wrong outputs and strays end the duel.
func (d *Duelling) Fight() error {
	first, half := 0, d.req.Pairs
	if d.Halves > 0 {
		first = int(d.rng.Uint64() & 1)
		if d.req.Pairs >= d.Halves {
			half = d.req.Pairs / 2
		}
	}
	bad, err := d.part(first, half)
	if !bad && err == nil && half < d.req.Pairs {
		if err = d.Close(); err == nil {
			bad, err = d.part(1-first, d.req.Pairs-half)
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
func (d *Duelling) part(first, pairs int) (bad bool, err error) {
	order := [2]int{first, 1 - first}
	for place, side := range order {
		d.begin("load", side)
		d.loaded = append(d.loaded, side)
		c := []Contender{d.req.A, d.req.B}[side]
		if d.samplers[side], err = d.opponents.Load(side, place, c, d.tapes[side]); err != nil {
			return false, err
		}
	}
	return d.pairs(order, pairs)
}

// Close gives back what the sides hold, the other way round. Whether an allocator hands out first what lies lowest or
// what was given back last, whoever is loaded first lies at the same place in either part of a duel.
func (d *Duelling) Close() error {
	var errs []error
	for _, side := range slices.Backward(d.loaded) {
		if s := d.samplers[side]; s != nil {
			errs = append(errs, s.Close())
		}
		errs = append(errs, d.opponents.Unload(side))
	}
	d.samplers, d.loaded = [2]Sampler{}, nil
	return errors.Join(errs...)
}

// begin notes whose turn it is.
func (d *Duelling) begin(what string, side int) {
	d.Where, d.Side = what+" "+Sides[side], side+1
	d.phase(Turn(d.req.Run.Workload, side))
}

// pairs takes a warm-up of each side whose calls are not long, and then some of the pairs, of which the sides begin
// every other one, in order. Both sides of a pair have the same sets in the same order.
func (d *Duelling) pairs(order [2]int, pairs int) (bad bool, err error) {
	for _, side := range order {
		if d.req.Long[side] {
			continue
		}
		d.tapes[side].Pause(true)
		if bad, err := d.sample(side, d.draw(), false); bad || err != nil {
			return bad, err
		}
		d.tapes[side].Pause(false)
	}
	for i := range pairs {
		turn, pair := d.draw(), order
		if !stats.ChampionFirst(i) {
			slices.Reverse(pair[:])
		}
		for _, side := range pair {
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
