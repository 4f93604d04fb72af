package gpu

import (
	"fmt"
	"strings"

	"darwarp/kernels"
)

// gate runs a candidate on every case that has a call, twice over different poisons, and copies the
// outputs of the second run to a slot of the output memory.
func (s *Session) gate(req *Gate, phase func(string)) (*GateReply, error) {
	reply := &GateReply{Cases: make([]CaseReply, len(s.prep.Cases))}
	phase("load")
	p, err := s.load(req.Cubin, req.Calls)
	if err == nil {
		err = s.fillResources(p, req.Calls, reply)
	}
	if err != nil {
		reply.Fault, err = fault("load", err)
		if reply.Fault == nil || reply.Fault.Sticky {
			return reply, err
		}
		return reply, s.unload(p)
	}
	for i := range s.prep.Cases {
		if i >= len(req.Calls) || len(req.Calls[i].Launches) == 0 {
			continue
		}
		name := s.prep.Cases[i].Name
		phase("gate " + name)
		if err := s.gateCase(p, req.Calls[i], i, req.Slot, &reply.Cases[i]); err != nil {
			if reply.Fault, err = fault(name, err); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			break
		}
	}
	if reply.Fault != nil && reply.Fault.Sticky {
		return reply, nil
	}
	return reply, s.unload(p)
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

// gateCase queues everything that a case takes and waits once: two runs over different poisons with
// the hash of their outputs, the guard zones, the inputs, and the copy of the outputs.
func (s *Session) gateCase(p *program, call kernels.Call, i, slot int, out *CaseReply) error {
	c, a := &s.prep.Cases[i], s.arenas[i]
	if err := s.clearCounters(); err != nil {
		return err
	}
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
		if err := s.between(func() error { return s.put(w) }); err != nil {
			return err
		}
		if err := s.hashOutputs(a, c, run); err != nil {
			return err
		}
	}
	if err := s.queueInspection(c, a, scratch); err != nil {
		return err
	}
	if err := s.copyOut(c, a, slot); err != nil {
		return err
	}
	return s.inspect(i, out)
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

// Counters of one gate case: two output hashes, changed guard bytes, then one hash per buffer.
const (
	counterGuard  = 2
	counterInputs = 3
)

// queueInspection looks for what a candidate must not touch: guard zones and inputs.
func (s *Session) queueInspection(c *Case, a, scratch *arena) error {
	if err := s.checkGuards(a, s.prep.GuardKey, counterGuard); err != nil {
		return err
	}
	if scratch != nil {
		if err := s.checkGuards(scratch, s.prep.GuardKey^scratchKey, counterGuard); err != nil {
			return err
		}
	}
	for j, b := range c.Buffers {
		if !b.Out {
			if err := s.hash(a, c, j, counterInputs+j); err != nil {
				return err
			}
		}
	}
	return nil
}

// inspect waits for the case and reads what was found.
func (s *Session) inspect(i int, out *CaseReply) error {
	c := &s.prep.Cases[i]
	got, err := s.readCounters(counterInputs + len(c.Buffers))
	if err != nil {
		return err
	}
	d, err := s.drv.Elapsed(s.start, s.stop)
	if err != nil {
		return err
	}
	out.Ran, out.Hash, out.Same, out.Guard, out.Nanos = true, got[1], got[0] == got[1], int(got[counterGuard]), float64(d.Nanoseconds())
	var mutated []string
	for j, b := range c.Buffers {
		if !b.Out && got[counterInputs+j] != s.inHash[i][j] {
			mutated = append(mutated, b.Name)
		}
	}
	out.Mutated = strings.Join(mutated, ", ")
	if out.Guard > 0 || out.Mutated != "" {
		// The next candidate must find clean buffers: what was written to in one case may have hit others.
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

// copyOut queues the copy of a case's outputs to a slot of the output memory.
func (s *Session) copyOut(c *Case, a *arena, slot int) error {
	at := slot*s.prep.SlotBytes + c.OutAt
	for j, b := range c.Buffers {
		if b.Out {
			if err := s.drv.DtoHAsync(s.out[at:at+b.Bytes()], a.at[j], s.stream); err != nil {
				return err
			}
			at += align(b.Bytes())
		}
	}
	return nil
}
