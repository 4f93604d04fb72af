package cpu

import (
	"bytes"
	"errors"
	"maps"
	"strings"
	"time"

	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

// gate runs a candidate on every case that has a call and copies the outputs to a slot of the output
// memory. Each shape is run twice over different poisons and in different thread orders; those that are drawn, and
// further inputs of the same shape, of which the last case was one, once.
func (s *Session) gate(req *gpu.Gate, phase func(string)) (*gpu.GateReply, error) {
	reply := &gpu.GateReply{Cases: make([]gpu.CaseReply, len(s.prep.Cases))}
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
	for i := range s.prep.Cases {
		if i >= len(req.Calls) || len(req.Calls[i].Launches) == 0 {
			continue
		}
		name := s.prep.Cases[i].Name
		phase("gate " + name)
		if err = s.gateCase(p, checked, req, i, places[i], &reply.Cases[i], &reply.Sites); err != nil {
			reply.Fault, err = blame(name, err)
			break
		}
	}
	return reply, errors.Join(err, p.unload(), checked.unload())
}

// gateCase runs one case. Where there is a checked program, it does the first run of a check shape; the
// scored sizes are too large for it.
func (s *Session) gateCase(plain, checked *program, req *gpu.Gate, i, at int, out *gpu.CaseReply, sites *[]kernels.Site) (err error) {
	c, a := &s.prep.Cases[i], s.arenas[i]
	poisons := []byte{poisonFinite, poisonNaN}
	if c.Class == gpu.Mixed || i > 0 && maps.Equal(c.Dims, s.prep.Cases[i-1].Dims) {
		poisons = poisons[1:]
	}
	var first uint64
	for run, poisoned := range poisons {
		p, o := plain, runOptions{}
		if run == 0 && checked != nil && c.Workload == "" && !c.Trial {
			p, o.races, o.counters = checked, 1, 1
		}
		w, damaged, left, ns, err := s.runOnce(p, req.Calls[i], i, poisoned, o)
		if err != nil {
			return err
		}
		if accesses(w.sites) > accesses(*sites) {
			*sites = w.sites
		}
		first, out.Hash = out.Hash, hashOutputs(c, a)
		out.Guard += damaged
		out.Left += left
		out.Nanos = ns
	}
	out.Ran, out.Same = true, first == out.Hash || len(poisons) == 1
	s.inspect(i, out)
	s.copyOut(i, at)
	return nil
}

// copyOut copies a case's outputs to a place in the output memory.
func (s *Session) copyOut(i, at int) {
	for j, b := range s.prep.Cases[i].Buffers {
		if b.Out {
			copy(s.out[at:at+b.Bytes()], s.arenas[i].buffers[j])
			at += align(b.Bytes())
		}
	}
}

// runOnce runs a case over poisoned outputs and scratch. damaged is the bytes written around scratch, left
// those that are not zero in scratch that a call must leave cleared.
func (s *Session) runOnce(p *program, call kernels.Call, i int, poisoned byte, o runOptions) (w *work, damaged, left int, ns float64, err error) {
	c, a := &s.prep.Cases[i], s.arenas[i]
	scratch, err := s.placeScratch(call, poisoned)
	if err != nil {
		return nil, 0, 0, 0, err
	}
	defer func() { err = errors.Join(err, scratch.free()) }()
	if w, err = p.bind(call, c, a, scratch); err != nil {
		return nil, 0, 0, 0, err
	}
	poison(c, a, poisoned)
	start := time.Now()
	err = w.do(o)
	ns = float64(time.Since(start).Nanoseconds())
	if scratch != nil {
		damaged = scratch.damage()
		left = scratch.left(call.Scratch)
	}
	return w, damaged, left, ns, err
}

func accesses(sites []kernels.Site) (n int) {
	for _, s := range sites {
		n += s.Accesses
	}
	return n
}

// inspect looks for what a candidate must not touch: guard zones and inputs. The next candidate finds
// clean buffers: what was written to in one case may have hit others.
func (s *Session) inspect(i int, out *gpu.CaseReply) {
	out.Guard += s.arenas[i].damage()
	var mutated []string
	for j, in := range s.pristine[i] {
		if in != nil && !bytes.Equal(in, s.arenas[i].buffers[j]) {
			mutated = append(mutated, s.prep.Cases[i].Buffers[j].Name)
		}
	}
	out.Mutated = strings.Join(mutated, ", ")
	if out.Guard == 0 && out.Mutated == "" {
		return
	}
	s.cleanse()
}

// cleanse makes every case as new.
func (s *Session) cleanse() {
	for k, a := range s.arenas {
		a.setGuards()
		s.restore(a, k)
	}
}
