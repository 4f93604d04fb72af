package cpu

import (
	"errors"
	"fmt"
	"time"

	"darwarp/eval/internal/device"
)

// disturb runs the cases of a request one after the other, each in a new order of its threads and over refills of its
// own. There is no second stream here, and no need of one: the order of threads differs each time.
func (s *Session) disturb(req *device.Disturb, phase func(string)) (*device.DisturbReply, error) {
	reply := &device.DisturbReply{}
	places, total := device.Pack(s.prep.Cases, req.Cases)
	if len(req.Expect) == 0 && total > s.prep.SlotBytes {
		return nil, fmt.Errorf("outputs of %d bytes in a slot of %d", total, s.prep.SlotBytes)
	}
	phase("load")
	p, err := load(req.Cubin, req.Calls)
	if err != nil {
		reply.Fault, err = blame("load", err)
		return reply, errors.Join(err, p.unload())
	}
	phase("disturb")
	start := time.Now()
	g := &gating{s: s, plain: p, reply: &device.GateReply{}, keeps: true}
	for k, i := range req.Cases {
		if err = g.disturb(req, k, i, req.Slot*s.prep.SlotBytes+places[k], reply); err != nil {
			reply.Fault, err = blame(fmt.Sprintf("run %d of %s", k+1, s.prep.Cases[i].Name), err)
			break
		}
	}
	reply.Strays = g.reply.Strays
	reply.Nanos = float64(time.Since(start).Nanoseconds())
	return reply, errors.Join(err, p.unload())
}

// disturb is the k-th run, of case i, whose outputs go to a place in the output memory where the right ones are not
// known.
func (g *gating) disturb(req *device.Disturb, k, i, place int, reply *device.DisturbReply) (err error) {
	s, a := g.s, g.s.arenas[i]
	if err := a.unprotect(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.protect()) }()
	s.hold(a, i)
	if !req.Stays(k) || s.coin() {
		g.left = nil
	}
	if _, _, err := g.run(g.plain, req.Calls[i], a, s.anyRefill(), runOptions{}); err != nil {
		return err
	}
	g.reply.Strays = g.reply.Strays.Join(s.inspect(a))
	if len(req.Expect) == 0 {
		s.copyOut(a, place)
	} else if hashOutputs(&s.prep.Cases[i], a) != req.Expect[i] {
		reply.Wrong = append(reply.Wrong, k)
	}
	return nil
}
