package cpu

import (
	"errors"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/stats"
)

// rules of emulated times. Every sample is of calls on refilled outputs, so that no single calls are needed to hold
// against them.
var rules = device.Rules{Fitness: stats.Emulated, Final: stats.EmulatedFinal, Hurried: true}

// time measures a contender on its runs, in order, and stops after the first that is hopeless.
func (s *Session) time(req *device.Time, phase func(string)) (*device.TimeReply, error) {
	reply := &device.TimeReply{}
	m := &device.Measuring{Prepare: &s.prep, Rules: rules, Phase: phase}
	m.Sampler = func(run device.Run, which int, tape *device.Tape) (device.Sampler, error) {
		return s.sampler(req.Contender, run, which, tape)
	}
	where, err := m.Answer(req, reply)
	if err != nil {
		reply.Fault, err = blame(where, err)
	}
	return reply, err
}

// duel measures two contenders in turn.
func (s *Session) duel(req *device.Duel, phase func(string)) (*device.DuelReply, error) {
	d := device.NewDuel(req, &s.prep, s.rng, phase, &opponents{s, req})
	err := errors.Join(d.Fight(), d.Close())
	if err != nil {
		d.Reply.Faulted = d.Side
		d.Reply.Fault, err = blame("duel "+req.Run.Workload, err)
	}
	return d.Reply, err
}

// opponents are the contenders of a duel.
type opponents struct {
	s   *Session
	req *device.Duel
}

// Load loads one side.
func (o *opponents) Load(side, _ int, c device.Contender, tape *device.Tape) (device.Sampler, error) {
	return o.s.sampler(c, o.req.RunOf(side), 0, tape)
}

// Unload has nothing to give back that samplers do not.
func (o *opponents) Unload(int) error { return nil }
