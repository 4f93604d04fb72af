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
		reply.Lost = len(runs) > 0 && runs[len(runs)-1].once
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

// caseRun is what was queued for a case.
type caseRun struct {
	at     int  // the case
	lap    int  // of the last run; -1: nobody asks for its time
	once   bool // there was no second run: the candidate has lost
	looks  [2]*inspection
	hashes [2]int // counters
	packed int    // lap of the last run's launches with `prepare`; -1: there are none
	judged int    // which run's outputs go to the judge
}

// gateCases returns, beside an error, where it came up.
func (s *Session) gateCases(p *program, req *device.Gate, phase func(string)) (
	where string, runs []caseRun, err error) {
	places, err := s.prep.Places(req)
	if err != nil {
		return "gate", nil, err
	}
	s.clock.reset()
	for _, i := range device.Called(req.Calls) {
		name := s.prep.Cases[i].Name
		limit := 0.0
		if len(req.Sets) > 0 && i == req.Sets[0] {
			limit = req.Limit
		}
		r, err := s.gateCase(p, req.Calls[i], i, places[i], limit, s.step(req, name, phase))
		if err == nil && req.Careful {
			err = s.drv.SyncStream(s.stream)
		}
		if err != nil {
			return name, nil, err
		}
		if runs = append(runs, r); r.once {
			break
		}
	}
	return "", runs, nil
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

// gateCase queues everything that a case takes: two runs, one over wild and one over plausible values, in an order
// that nobody knows. The outputs of the one over wild values go to the judge, since what it left unwritten is wrong
// for certain. A call that takes longer than limit ns, if there is one, is the only run.
func (s *Session) gateCase(p *program, call kernels.Call, i, place int, limit float64, step func(string) error) (
	r caseRun, err error) {
	c := &s.prep.Cases[i]
	r.at, r.lap = i, -1
	timed := limit > 0 || c.Workload != "" // of sizes that are not scored nobody asks for the time
	w, err := s.bound(p, call, i)
	if err != nil {
		return r, err
	}
	first := s.anyRefill()
	for run, how := range []device.Refill{first, !first} {
		if r.packed, err = s.packFirst(w, step); err != nil {
			return r, err
		}
		if err := s.poisonShared(p, s.refills(w.arena, w.scratch, call.Scratch, how)...); err != nil {
			return r, err
		}
		put := func() error { return s.put(w.work) }
		if !timed || run == 0 && limit == 0 { // a first launch says little of the time
			err = put()
		} else {
			r.lap, err = s.clock.next(put)
		}
		if err != nil {
			return r, err
		}
		if run == 0 && limit > 0 {
			if r.once, err = s.beyond(r.lap, limit); err != nil {
				return r, err
			}
		}
		to := nowhere
		if how == device.Wild || r.once {
			r.judged, to = run, place
		}
		if r.looks[run], r.hashes[run], err = s.lookAfter(p, c, w, call, to); err != nil {
			return r, err
		}
		if r.once {
			r.hashes[1] = r.hashes[0]
			break
		}
	}
	return r, nil
}

// beyond waits for a lap and reports whether it took longer than limit ns.
func (s *Session) beyond(lap int, limit float64) (bool, error) {
	if err := s.drv.SyncStream(s.stream); err != nil {
		return false, err
	}
	ns, err := s.clock.nanos(lap)
	return ns > limit, err
}

// nowhere is no place in the output memory.
const nowhere = -1

// lookAfter queues a look at what a call has left: outputs, whose counter it returns, scratch, and variables of its
// own. Outputs that are to go to a place are copied on the way: a copy of its own takes as long as a launch.
func (s *Session) lookAfter(p *program, c *device.Case, w bound, call kernels.Call, place int) (
	v *inspection, hash int, err error) {
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
	if err = s.look(v); err == nil && place != nowhere && to == 0 {
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
