package cpu

import (
	"errors"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/stats"
)

// duel measures two contenders in turn: A B B A A B B A ...
func (s *Session) duel(req *device.Duel, phase func(string)) (*device.DuelReply, error) {
	d := &duelling{s: s, req: req, reply: &device.DuelReply{}, phase: phase}
	err := d.pairs()
	if err != nil {
		d.reply.Faulted = d.turn
		d.reply.Fault, err = blame("duel "+req.Run.Workload, err)
	}
	return d.reply, err
}

// duelling is a duel that is being fought.
type duelling struct {
	s     *Session
	req   *device.Duel
	reply *device.DuelReply
	phase func(string)
	sides [2]*sampler
	tapes [2]*device.Tape
	turn  int // whose it is: 1 A's, 2 B's
}

func (d *duelling) begin(side int) {
	d.turn = side + 1
	d.phase(device.Turn(d.req.Run.Workload, side))
}

// pairs takes a warm-up of each side and then the pairs. Both sides of a pair have the same sets in the same order.
func (d *duelling) pairs() (err error) {
	for i, c := range []device.Contender{d.req.A, d.req.B} {
		d.begin(i)
		d.tapes[i] = d.s.prep.NewTape(d.req.Record, i, d.req.Pairs)
		if d.sides[i], err = d.s.newSampler(c, d.req.Run, 0, d.tapes[i]); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.sides[i].close()) }()
	}
	for side := range d.sides {
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
	for side, t := range d.tapes {
		d.reply.Side(side).Recorded = t.Cases()
	}
	return nil
}

func (d *duelling) draw() []int {
	return device.DrawTurn(d.s.rng, d.req.Run.Fresh, len(d.req.Run.Cases))
}

// sample takes one of a side. Wrong outputs and strays end the duel.
func (d *duelling) sample(side int, turn []int, counts bool) (bad bool, err error) {
	d.begin(side)
	r, err := d.sides[side].sample(turn)
	if err != nil {
		return false, err
	}
	into := d.reply.Side(side)
	into.Checked, into.Wrong, into.Strays = into.Checked+r.checked, into.Wrong+r.wrong, into.Strays.Join(r.strays)
	if counts {
		into.Samples = append(into.Samples, r.ns)
		if r.repeat > 0 {
			into.Repeat = append(into.Repeat, r.repeat)
		}
	}
	return into.Wrong > 0 || into.Strays != nil, nil
}
