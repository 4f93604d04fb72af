package cpu

import (
	"errors"
	"fmt"
	"math"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/cpu/inputs"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// power asks whether the check would find what is missing.
func (s *Session) power(req *device.Power, phase func(string)) (*device.PowerReply, error) {
	reply := &device.PowerReply{}
	if len(req.Proofs) == 0 {
		return reply, nil
	}
	first := &req.Proofs[0]
	launches := []kernels.Launch{first.Launch}
	if first.Case.Maker != nil {
		launches = append(launches, *first.Case.Maker)
	}
	program, err := load(req.Cubin, []kernels.Call{{Launches: launches}})
	if err != nil {
		return nil, err
	}
	s.maker = program
	for i := range req.Proofs {
		p := &req.Proofs[i]
		phase("power " + p.Case.Name)
		got, err := s.proof(program, p)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("reference kernel on %s: %w", p.Case.Name, err), program.unload())
		}
		reply.Proofs = append(reply.Proofs, got)
	}
	return reply, program.unload()
}

// referenceRun runs the reference kernel on a case that has memory for itself.
type referenceRun struct {
	session *Session
	program *program
	proof   *device.Proof
	arena   *arena
}

func (s *Session) proof(program *program, p *device.Proof) (reply device.ProofReply, err error) {
	a, err := newArena(device.Sizes(p.Case.Buffers), s.prep.GuardKey)
	if err != nil {
		return reply, err
	}
	defer func() { err = errors.Join(err, a.free()) }()
	return p.Run(&referenceRun{session: s, program: program, proof: p, arena: a})
}

func (r *referenceRun) Truth(o *device.Omission) ([]check.Truth, error) {
	c := &r.proof.Case
	if err := r.session.fillInputs(c, r.arena); err != nil {
		return nil, err
	}
	if o != nil {
		erase(c, r.arena, o)
	}
	raw := make([]byte, c.TruthBytes())
	if err := r.session.reference(r.program, c, r.arena, r.proof.Launch, raw); err != nil {
		return nil, err
	}
	return c.TruthsIn(device.From(raw))
}

// erase makes the terms that are left out neutral.
func erase(c *device.Case, a *arena, o *device.Omission) {
	buffer, inner, length, neutral := c.Erased(o)
	b, v := c.Buffers[buffer], math.Float32frombits(neutral)
	for i := range b.Elems() {
		line, at := i/(inner*length)*inner+i%inner, i/inner%length
		if at >= o.From && at < o.To && (o.Line < 0 || line == o.Line) {
			inputs.Put(a.buffers[buffer], i, b.DType, v)
		}
	}
}
