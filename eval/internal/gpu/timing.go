package gpu

import (
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/stats"
)

// contender is a loaded Contender.
type contender struct {
	device.Contender
	program *program
	side    int // of a duel
	seat    seat
}

func (s *Session) enter(c device.Contender, side int) (*contender, error) {
	out := &contender{Contender: c, side: side}
	if c.Library {
		return out, nil
	}
	var err error
	out.program, err = s.load(c.Cubin, c.Calls)
	return out, err
}

func (s *Session) leave(c *contender) error { return s.unload(c.program) }

// expected are the hashes of a run's right outputs, by set; none where nobody knows them.
func (c *contender) expected(which int) []uint64 {
	if which < len(c.Expect) {
		return c.Expect[which]
	}
	return nil
}

// rules of times on a GPU. Single calls on refilled outputs are held against the graph.
var rules = device.Rules{Fitness: stats.Fitness, Final: stats.Final, Singles: 3}

// time measures a contender on its runs, in order, and stops after the first that is hopeless.
func (s *Session) time(req *device.Time, phase func(string)) (*device.TimeReply, error) {
	reply := &device.TimeReply{}
	if err := s.beginRequest(); err != nil {
		return nil, err
	}
	phase("load")
	c, err := s.enter(req.Contender, 0)
	where := "load"
	if err == nil {
		m := &device.Measuring{Prepare: &s.prep, Rules: rules, Phase: phase}
		m.Sampler = func(run device.Run, which int, tape *device.Tape) (device.Sampler, error) {
			return s.sampler(c, run, which, tape)
		}
		where, err = m.Answer(req, reply)
	}
	if err != nil {
		if reply.Fault, err = fault(where, err); err != nil || reply.Fault.Sticky {
			return reply, err
		}
	}
	phase("look")
	if err := s.clearCounters(); err != nil {
		return nil, err
	}
	_, found, err := s.endRequest()
	reply.Strays = reply.Strays.Join(found)
	s.unloadLater(c.program)
	return reply, err
}
