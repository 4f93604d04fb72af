package gpu

import (
	"fmt"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
)

// Power answers the request.
func (s *Session) Power(req *device.Power, phase func(string)) (*device.PowerReply, error) {
	mod, err := s.drv.LoadModule(req.Cubin)
	if err != nil {
		return nil, err
	}
	s.maker = mod
	reply := &device.PowerReply{}
	for i := range req.Proofs {
		p := &req.Proofs[i]
		phase("power " + p.Case.Name)
		got, err := s.proof(mod, p)
		if err != nil {
			return nil, fmt.Errorf("reference kernel on %s: %w", p.Case.Name, err)
		}
		reply.Proofs = append(reply.Proofs, got)
	}
	return reply, s.drv.UnloadModule(mod)
}

// referenceRun runs the reference kernel on a case that has memory for itself.
type referenceRun struct {
	*Session
	mod   cuda.Module
	proof *device.Proof
	at    []cuda.Ptr // by buffer
	truth cuda.Ptr
}

func (s *Session) proof(mod cuda.Module, p *device.Proof) (device.ProofReply, error) {
	r := &referenceRun{Session: s, mod: mod, proof: p}
	sizes := append(device.Sizes(p.Case.Buffers), p.Case.TruthBytes())
	offsets, total := device.Layout(sizes)
	base, err := s.drv.Alloc(uint64(total))
	if err != nil {
		return device.ProofReply{}, err
	}
	defer s.drv.Free(base)
	for _, at := range offsets {
		r.at = append(r.at, base+cuda.Ptr(at))
	}
	r.truth = r.at[len(r.at)-1]
	return p.Run(r)
}

// lackingInputs makes the inputs of a case, less an omission if there is one.
func (s *Session) lackingInputs(c *device.Case, at []cuda.Ptr, o *device.Omission) error {
	if err := s.MakeInputs(c, at); err != nil || o == nil {
		return err
	}
	buffer, inner, length, neutral := c.Erased(o)
	b := c.Buffers[buffer]
	return s.harness.run("dw_erase", grid(b.Elems()), ptr(at[buffer]), u64(b.Elems()), i32(DTypeCodes[b.DType]),
		u64(inner), u64(length), u64(o.From), u64(o.To), u64(o.Line), i32(int(int32(neutral))))
}

func (r *referenceRun) Truth(o *device.Omission) ([]check.Truth, error) {
	c := &r.proof.Case
	if err := r.lackingInputs(c, r.at, o); err != nil {
		return nil, err
	}
	if err := r.StartReference(r.mod, c, r.proof.Launch, r.at, r.truth); err != nil {
		return nil, err
	}
	if err := r.drv.SyncStream(r.stream); err != nil {
		return nil, err
	}
	return c.TruthsIn(func(to []byte, at int) error { return r.drv.DtoH(to, r.truth+cuda.Ptr(at)) })
}
