package cpu

import (
	"errors"
	"maps"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// gate runs a candidate on every case that has a call and copies the outputs to a slot of the output
// memory. Each shape is run twice over different refills and in different thread orders; those that are drawn, and
// further inputs of the same shape, of which the last case was one, once.
func (s *Session) gate(req *device.Gate, phase func(string)) (*device.GateReply, error) {
	reply := &device.GateReply{Cases: make([]device.CaseReply, len(s.prep.Cases))}
	phase("load")
	p, err := load(req.Cubin, req.Calls)
	var checked *program
	if err == nil && len(req.Checked) > 0 {
		checked, err = load(req.Checked, req.Calls)
	}
	if err != nil {
		reply.Fault, err = blame("load", err)
		return reply, errors.Join(err, p.unload())
	}
	places, err := s.prep.Places(req)
	if err != nil {
		return nil, errors.Join(err, p.unload(), checked.unload())
	}
	g := &gating{s: s, plain: p, checked: checked, reply: reply}
	for _, i := range device.Called(req.Calls) {
		name := s.prep.Cases[i].Name
		phase("gate " + name)
		if err = g.gate(req.Calls[i], i, places[i]); err != nil {
			reply.Fault, err = blame(name, err)
			break
		}
	}
	return reply, errors.Join(err, p.unload(), checked.unload())
}

// gating is a gate that is under way.
type gating struct {
	s              *Session
	plain, checked *program // checked: nil unless the gate looks for races
	reply          *device.GateReply
	last           kernels.Dims // of the case before
	keeps          bool         // calls may find in scratch what the one before has left there
	left           [][]byte     // which is this; nil: they find a refill
}

// gate runs one case. Where there is a checked program, it does the first run of a check shape; the
// scored sizes are too large for it.
func (g *gating) gate(call kernels.Call, i, at int) (err error) {
	s := g.s
	c, a, out := &s.prep.Cases[i], s.arenas[i], &g.reply.Cases[i]
	if err := a.unprotect(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.protect()) }()
	s.hold(a, i)
	first := s.anyRefill()
	refills := []device.Refill{first, !first}
	if device.ByLine(c.Class) || maps.Equal(c.Dims, g.last) {
		refills = []device.Refill{device.Wild}
	}
	g.last = c.Dims
	var hashes []uint64
	for run, how := range refills {
		p, o := g.plain, runOptions{}
		if run == 0 && g.checked != nil && c.Workload == "" && !c.Trial {
			p, o.races, o.counters = g.checked, 1, 1
		}
		if out.Nanos, out.Prepared, err = g.run(p, call, a, how, o); err != nil {
			return err
		}
		hashes = append(hashes, hashOutputs(c, a))
		if how == device.Wild {
			s.copyOut(a, at)
			out.Hash = hashes[run]
		}
	}
	g.reply.Strays = g.reply.Strays.Join(s.inspect(a))
	out.Ran, out.Same = true, hashes[0] == hashes[len(hashes)-1]
	return nil
}

// run runs a case over refilled outputs and scratch, or over scratch as the call before has left it.
func (g *gating) run(p *program, call kernels.Call, a *arena, how device.Refill, o runOptions) (
	ns, prepared float64, err error) {
	s := g.s
	c := &s.prep.Cases[a.holds]
	scratch, err := s.placeScratch(call)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, scratch.free()) }()
	packed, err := s.newPacking(p, call, a)
	defer func() { err = errors.Join(err, packed.free()) }()
	if err == nil {
		prepared, err = s.pack([]*arena{a}, []*packing{packed}, o, scratch)
	}
	if err != nil {
		return 0, 0, err
	}
	w, err := p.bind(call, c, a, scratch, packed)
	if err != nil {
		return 0, 0, err
	}
	s.refillOutputs(a, how)
	if scratch != nil {
		s.refillScratch(scratch, call.Scratch, how)
		stay(scratch, call.Scratch, g.left)
	}
	start := time.Now()
	err = w.do(o)
	ns = float64(time.Since(start).Nanoseconds())
	g.reply.Strays = g.reply.Strays.Join(inspectScratch(scratch, call.Scratch, c.Name)).Join(packed.inspect(c.Name))
	if g.left = nil; scratch != nil && g.keeps {
		g.left = contents(scratch)
	}
	if accesses(w.sites) > accesses(g.reply.Sites) {
		g.reply.Sites = w.sites
	}
	return ns, prepared, err
}

// copyOut copies an arena's outputs to a place in the output memory.
func (s *Session) copyOut(a *arena, at int) {
	for j, b := range s.prep.Cases[a.holds].Buffers {
		if b.Out {
			copy(s.out[at:at+b.Bytes()], a.buffers[j])
			at += device.Align(b.Bytes())
		}
	}
}

func accesses(sites []kernels.Site) (n int) {
	for _, s := range sites {
		n += s.Accesses
	}
	return n
}
