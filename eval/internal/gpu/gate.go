package gpu

import (
	"fmt"
	"strings"

	"darwarp/kernels"
)

// gate runs a candidate on every case that has a call, twice over different poisons, and copies the
// outputs of the second run to a slot of the output memory. All is queued before anything is waited
// for, unless the request asks for care: then each case is waited for, so that a fault has a name.
func (s *Session) gate(req *Gate, phase func(string)) (*GateReply, error) {
	reply := &GateReply{Cases: make([]CaseReply, len(s.prep.Cases))}
	phase("load")
	p, err := s.load(req.Cubin, req.Calls)
	if err == nil {
		err = s.fillResources(p, req.Calls, reply)
	}
	where := "load"
	if err == nil {
		where, err = s.gateCases(p, req, reply, phase)
	}
	if err != nil {
		if reply.Fault, err = fault(where, err); err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		if reply.Fault.Sticky {
			return reply, nil
		}
	}
	return reply, s.unload(p)
}

// gateCases returns, beside an error, where it came up.
func (s *Session) gateCases(p *program, req *Gate, reply *GateReply, phase func(string)) (string, error) {
	places, err := s.prep.Places(req)
	if err != nil {
		return "gate", err
	}
	if err := s.clearCounters(); err != nil {
		return "gate", err
	}
	for i := range s.prep.Cases {
		if i >= len(req.Calls) || len(req.Calls[i].Launches) == 0 {
			continue
		}
		c := &s.prep.Cases[i]
		if req.Careful {
			phase("gate " + c.Name)
		}
		if err := s.gateCase(p, req.Calls[i], i, places[i]); err != nil {
			return c.Name, err
		}
		reply.Cases[i].Ran = true
		if !req.Careful && c.Workload == "" {
			continue
		}
		if err := s.drv.SyncStream(s.stream); err != nil {
			return c.Name, err
		}
		d, err := s.drv.Elapsed(s.start, s.stop)
		if err != nil {
			return c.Name, err
		}
		reply.Cases[i].Nanos = float64(d.Nanoseconds())
	}
	return "gate", s.inspect(reply)
}

func (s *Session) fillResources(p *program, calls []kernels.Call, reply *GateReply) (err error) {
	for i := len(calls) - 1; i >= 0; i-- { // the scored sizes come last
		if len(calls[i].Launches) > 0 {
			reply.Resources, err = s.resources(p, calls[i])
			return err
		}
	}
	return nil
}

// gateCase queues everything that a case takes: two runs over different poisons with the hash of
// their outputs, the guard zones, the inputs, and the copy of the outputs.
func (s *Session) gateCase(p *program, call kernels.Call, i, place int) error {
	c, a := &s.prep.Cases[i], s.arenas[i]
	var scratch *arena
	for run, poison := range []uint8{poisonFinite, poisonNaN} {
		var err error
		if scratch, err = s.placeScratch(&s.scratch[0], call, poison); err != nil {
			return err
		}
		w, err := s.bind(p, call, c, a, scratch)
		if err != nil {
			return err
		}
		if err := s.poison(c, a, poison); err != nil {
			return err
		}
		if err := s.harness.soil(s.dev); err != nil {
			return err
		}
		if err := s.between(func() error { return s.put(w) }); err != nil {
			return err
		}
		if err := s.unchanged(p); err != nil {
			return err
		}
		if err := s.hashOutputs(a, c, s.counterOf(i, run)); err != nil {
			return err
		}
		if err := s.countLeft(scratch, call.Scratch, s.counterOf(i, counterLeft)); err != nil {
			return err
		}
	}
	if err := s.queueInspection(i, scratch); err != nil {
		return err
	}
	return s.copyOut(c, a, place)
}

// countLeft queues the count of what a call left in scratch that it must leave cleared: what outlives a
// call could be an answer.
func (s *Session) countLeft(scratch *arena, list []kernels.Scratch, counter int) error {
	for j, sc := range list {
		if !sc.Once || sc.Bytes == 0 {
			continue
		}
		if err := s.harness.run("dw_nonzero", grid(sc.Bytes), ptr(scratch.at[j]), u64(sc.Bytes), ptr(s.counterAt(counter))); err != nil {
			return err
		}
	}
	return nil
}

// between records the session's events around what f queues.
func (s *Session) between(f func() error) error {
	if err := s.drv.Record(s.start, s.stream); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	return s.drv.Record(s.stop, s.stream)
}

// timed measures what f queues, in ns, and waits for it.
func (s *Session) timed(f func() error, ns *float64) error {
	if err := s.between(f); err != nil {
		return err
	}
	if err := s.drv.SyncStream(s.stream); err != nil {
		return err
	}
	d, err := s.drv.Elapsed(s.start, s.stop)
	*ns = float64(d.Nanoseconds())
	return err
}

// Counters of one gate case: two output hashes, changed guard bytes, bytes left in scratch, then one
// hash per buffer.
const (
	counterGuard  = 2
	counterLeft   = 3
	counterInputs = 4
)

// counterOf is the place of a case's n-th counter.
func (s *Session) counterOf(i, n int) int {
	return i*(counterInputs+len(s.prep.Cases[0].Buffers)) + n
}

// queueInspection looks for what a candidate must not touch: guard zones and inputs.
func (s *Session) queueInspection(i int, scratch *arena) error {
	c, a := &s.prep.Cases[i], s.arenas[i]
	if err := s.checkGuards(a, s.prep.GuardKey, s.counterOf(i, counterGuard)); err != nil {
		return err
	}
	if scratch != nil {
		if err := s.checkGuards(scratch, s.prep.GuardKey^scratchKey, s.counterOf(i, counterGuard)); err != nil {
			return err
		}
	}
	for j, b := range c.Buffers {
		if !b.Out {
			if err := s.hash(a, c, j, s.counterOf(i, counterInputs+j)); err != nil {
				return err
			}
		}
	}
	return nil
}

// inspect waits for all cases and reads what was found.
func (s *Session) inspect(reply *GateReply) error {
	got, err := s.readCounters(s.counterOf(len(s.prep.Cases), 0))
	if err != nil {
		return err
	}
	dirty := false
	for i := range reply.Cases {
		out := &reply.Cases[i]
		if !out.Ran {
			continue
		}
		at := func(n int) uint64 { return got[s.counterOf(i, n)] }
		out.Hash, out.Same, out.Guard, out.Left = at(1), at(0) == at(1), int(at(counterGuard)), int(at(counterLeft))
		var mutated []string
		for j, b := range s.prep.Cases[i].Buffers {
			if !b.Out && at(counterInputs+j) != s.inHash[i][j] {
				mutated = append(mutated, b.Name)
			}
		}
		out.Mutated = strings.Join(mutated, ", ")
		dirty = dirty || out.Guard > 0 || out.Mutated != ""
	}
	if dirty { // the next candidate must find clean buffers, and what hit one case may have hit others
		return s.resetAll()
	}
	return nil
}

// resetAll makes every case as new.
func (s *Session) resetAll() error {
	for i := range s.prep.Cases {
		if err := s.reset(i); err != nil {
			return err
		}
	}
	return s.drv.SyncStream(s.stream)
}

// copyOut queues the copy of a case's outputs to a place in the output memory.
func (s *Session) copyOut(c *Case, a *arena, at int) error {
	for j, b := range c.Buffers {
		if b.Out {
			if err := s.out.take(s, at, a.at[j], b.Bytes()); err != nil {
				return err
			}
			at += align(b.Bytes())
		}
	}
	return nil
}
