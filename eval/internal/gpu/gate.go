package gpu

import (
	"fmt"

	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// gate runs a candidate on every case that has a call, twice over different refills, and copies outputs to a slot
// of the output memory. All is queued before anything is waited for, unless the request asks for care: then each
// case is waited for, so that a fault has a name.
func (s *Session) gate(req *device.Gate, phase func(string)) (*device.GateReply, error) {
	reply := &device.GateReply{Cases: make([]device.CaseReply, len(s.prep.Cases))}
	phase("load")
	if err := s.beginRequest(); err != nil {
		return nil, err
	}
	p, err := s.load(req.Cubin, req.Calls)
	if err == nil {
		err = s.fillResources(p, req.Calls, reply)
	}
	where, runs := "load", []caseRun(nil)
	if err == nil {
		phase("queue the gate")
		where, runs, err = s.gateCases(p, req, phase)
	}
	if err == nil {
		reply.Lost = len(runs) > 0 && runs[len(runs)-1].lost
		phase("gate")
		where, err = "gate", s.readCases(runs, reply)
	}
	if err != nil {
		if reply.Fault, err = fault(where, err); err != nil {
			return nil, fmt.Errorf("%s: %w", where, err)
		}
		if reply.Fault.Sticky {
			return reply, nil
		}
		if _, reply.Strays, err = s.endRequest(); err != nil {
			return nil, err
		}
	}
	s.unloadLater(p)
	return reply, nil
}

// gateCases returns, beside an error, where it came up.
func (s *Session) gateCases(p *program, req *device.Gate, phase func(string)) (
	where string, runs []caseRun, err error) {
	places, err := s.prep.Places(req)
	if err != nil {
		return "gate", nil, err
	}
	s.clock.reset()
	g := &gating{Session: s, program: p, req: req, phase: phase, places: places, at: "gate"}
	list := device.Called(req.Calls)
	for len(list) > 0 {
		n := g.together(list)
		if runs, err = g.cases(runs, list[:n]); err == nil && req.Careful {
			err = s.drv.SyncStream(s.stream)
		}
		if err != nil {
			return g.at, nil, err
		}
		list = list[n:]
		if runs[len(runs)-1].lost {
			break
		}
	}
	return "gate", runs, g.lookNow()
}

// step begins a part of what a case takes. Of a careful gate it waits for what came before, and tells what comes next.
func (s *Session) step(req *device.Gate, name string, phase func(string)) func(what string) error {
	return func(what string) error {
		if !req.Careful {
			return nil
		}
		if err := s.drv.SyncStream(s.stream); err != nil {
			return err
		}
		phase(what + " " + name)
		return nil
	}
}

func (s *Session) fillResources(p *program, calls []kernels.Call, reply *device.GateReply) (err error) {
	for i := len(calls) - 1; i >= 0; i-- { // the scored sizes come last
		if len(calls[i].Launches) > 0 {
			reply.Resources, err = s.resources(p, calls[i])
			return err
		}
	}
	return nil
}

// nowhere is no place in the output memory.
const nowhere = -1

// left is a look at what a call has left: outputs, whose counter it returns, scratch, and variables of its own. Outputs
// that are to go to a place are copied on the way: a copy of its own takes as long as a launch. copied is false where
// that cannot be.
func (s *Session) left(p *program, c *device.Case, w bound, call kernels.Call, place int) (
	v *inspection, hash int, copied bool) {
	to := cuda.Ptr(0)
	if place != nowhere {
		to = s.out.reach(place, c.OutBytes())
	}
	v = s.newInspection()
	hash = v.copied(c, w.arena, to)
	v.variables(p)
	if w.scratch != nil {
		v.guards(w.scratch)
		v.left(w.scratch, call.Scratch)
	}
	v.repacked(w.packed)
	return v, hash, place == nowhere || to != 0
}

// lookAfter queues such a look.
func (s *Session) lookAfter(p *program, c *device.Case, w bound, call kernels.Call, place int) (
	v *inspection, hash int, err error) {
	v, hash, copied := s.left(p, c, w, call, place)
	if err = s.look(v); err == nil && !copied {
		err = s.copyOut(c, w.arena, place)
	}
	return v, hash, err
}

// bound is a call on a case's arena, with the scratch and the packed buffers that were placed for it.
type bound struct {
	work           *work
	arena, scratch *arena
	packed         *packing
}

func (s *Session) bound(p *program, call kernels.Call, i int) (b bound, err error) {
	c := &s.prep.Cases[i]
	if b.arena, err = s.arenaOf(i); err != nil {
		return b, err
	}
	if b.scratch, err = s.placeScratch(seat{}, 0, call, c.Name); err != nil {
		return b, err
	}
	if b.packed, err = s.newPacking(p, seat{}, 0, call, c, b.arena); err != nil {
		return b, err
	}
	b.work, err = s.bind(p, call, c, b.arena, b.scratch, b.packed)
	return b, err
}

// refills are all that a call finds: outputs, and scratch if there is any.
func (s *Session) refills(a, scratch *arena, list []kernels.Scratch, how device.Refill) []Refilling {
	return append(s.outputRefills(a, how), s.scratchRefills(scratch, list, how)...)
}

// readCases ends a gate: it waits for all cases and reads what was found.
func (s *Session) readCases(runs []caseRun, reply *device.GateReply) error {
	var looks []*inspection
	for _, r := range runs {
		looks = append(looks, r.looks[0])
		if !r.once {
			looks = append(looks, r.looks[1])
		}
	}
	got, found, err := s.endRequest(looks...)
	if err != nil {
		return err
	}
	reply.Strays = found
	for _, r := range runs {
		first, second := got[r.hashes[0]], got[r.hashes[1]]
		one := device.CaseReply{Ran: true, Hash: got[r.hashes[r.judged]], Same: first == second}
		if one.Nanos, err = s.clock.nanosOf(r.lap); err != nil {
			return err
		}
		if one.Prepared, err = s.clock.nanosOf(r.packed); err != nil {
			return err
		}
		reply.Cases[r.at] = one
	}
	return nil
}

// copyOut queues the copy of a case's outputs to a place in the output memory.
func (s *Session) copyOut(c *device.Case, a *arena, at int) error {
	for j, b := range c.Buffers {
		if b.Out {
			if err := s.out.take(s, at, a.at[j], b.Bytes()); err != nil {
				return err
			}
			at += device.Align(b.Bytes())
		}
	}
	return nil
}
