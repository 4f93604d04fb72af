package eval

import (
	"context"
	"fmt"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
)

// effort is what the device gets through in the time that a candidate is worth.
func (p *Pool) effort() cases.Effort {
	e := cases.OnGPU(p.device.MemoryBytes)
	switch {
	case p.cfg.idle:
		e = cases.Beside()
	case p.cfg.Kind == "cpu":
		e = cases.Emulated()
	}
	return e.For(p.cfg.Acc)
}

// casesWanted is what a case list is made for, with new secret numbers.
func (p *Pool) casesWanted() cases.Wanted {
	return cases.Wanted{Problem: p.cfg.Problem, DType: p.cfg.DType, Workloads: p.cfg.Workloads, Effort: p.effort(),
		RNG: device.SecretNumbers()}
}

// provenCases makes the case list, with input classes of which it is proved that the check can tell right from wrong on
// them.
func (p *Pool) provenCases(ctx context.Context, open device.Open, reference []byte) (*cases.Set, error) {
	w := p.casesWanted()
	var err error
	if w.Powers, err = p.provePower(ctx, open, reference, w); err != nil {
		return nil, err
	}
	return cases.New(w)
}

// powerDeadline bounds one proof.
const powerDeadline = fillDeadline

// provePower asks a process of its own, which never sees a candidate.
func (p *Pool) provePower(ctx context.Context, open device.Open, reference []byte, wanted cases.Wanted) (
	map[string]cases.Power, error) {
	p.cfg.progress("proving what the check detects")
	none, err := proc.NewShared("darwarp-none", 4096)
	if err != nil {
		return nil, err
	}
	defer none.Close()
	open.Library = ""
	w, _, err := startWorker(ctx, p.role, open, nil, none.File())
	if err != nil {
		return nil, err
	}
	defer w.Close()
	q := &cases.Prover{Wanted: wanted, Acc: p.cfg.Acc, Say: p.cfg.progress, Log: p.log}
	q.Ask = func(ctx context.Context, proof *device.Proof) (device.ProofReply, error) {
		return askProof(ctx, w, reference, proof)
	}
	return q.Prove(ctx)
}

// askProof asks a device what its check would find of one class at one size.
func askProof(ctx context.Context, w *proc.Worker, reference []byte, proof *device.Proof) (
	device.ProofReply, error) {
	var reply device.PowerReply
	req := device.Request{Power: &device.Power{Cubin: reference, Proofs: []device.Proof{*proof}}}
	if err := w.Call(ctx, req, &reply, powerDeadline, nil); err != nil {
		return device.ProofReply{}, fmt.Errorf("prove the check's power: %w", err)
	}
	if len(reply.Proofs) != 1 {
		return device.ProofReply{}, fmt.Errorf("prove the check's power: %d answers", len(reply.Proofs))
	}
	return reply.Proofs[0], nil
}
