package rig

import "darwarp/eval/trace"

// steps shows in a trace what opening a session takes: each step that it tells of lasts until the next.
type steps struct {
	say   func(string) // may be nil
	lane  *trace.Lane
	whole *trace.Span
	step  *trace.Span
}

// watchOpening has the steps of opening traced until the end is called.
func (c *Config) watchOpening() (end func()) {
	s := &steps{say: c.Progress, lane: c.Trace.Take("opening")}
	s.whole = s.lane.Begin("open")
	s.step = s.lane.Begin("look around")
	c.Progress = s.next
	return func() {
		c.Progress = s.say
		s.step.End()
		s.whole.End()
		s.lane.Free()
	}
}

func (s *steps) next(what string) {
	if s.say != nil {
		s.say(what)
	}
	s.step.End()
	s.step = s.lane.Begin(what)
}
