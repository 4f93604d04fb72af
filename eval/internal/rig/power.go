package rig

import (
	"context"
	"fmt"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/runner"
)

// effort is what the device gets through in the time that a candidate is worth.
func (p *Rig) effort() cases.Effort {
	e := cases.OnGPU(p.Device.MemoryBytes)
	switch {
	case p.Idle:
		e = cases.Beside()
	case p.Cfg.Kind == "cpu":
		e = cases.Emulated()
	case p.Cfg.Teller != nil:
		e = cases.Told(p.Device.MemoryBytes)
	}
	return e.For(p.Cfg.Acc)
}

// SecretNumbers decide which cases a session draws. Tests have the same ones in every run.
var SecretNumbers = device.SecretNumbers

// casesWanted is what a case list is made for, with new secret numbers.
func (p *Rig) casesWanted(ctx context.Context) cases.Wanted {
	return cases.Wanted{Problem: p.Cfg.Problem, DType: p.Cfg.DType, Workloads: p.Cfg.Workloads, Effort: p.effort(),
		RNG: SecretNumbers(), Fits: p.fitting(ctx)}
}

// provenCases makes the case list, with input classes of which it is proved that the check can tell right from wrong on
// them.
func (p *Rig) provenCases(ctx context.Context, open device.Open, reference []byte) (*cases.Set, error) {
	w := p.casesWanted(ctx)
	var err error
	if w.Powers, err = p.provePower(ctx, open, reference, w); err != nil {
		return nil, err
	}
	return cases.New(w)
}

// powerDeadline bounds one proof.
const powerDeadline = runner.FillDeadline

// provePower asks a process of its own, which never sees a candidate.
func (p *Rig) provePower(ctx context.Context, open device.Open, reference []byte, wanted cases.Wanted) (
	map[string]cases.Power, error) {
	p.Cfg.Say("proving what the check detects")
	none, err := proc.NewShared("darwarp-none", 4096)
	if err != nil {
		return nil, err
	}
	defer none.Close()
	open.Library = ""
	w, _, err := runner.Start(ctx, p.role, open, nil, none.File())
	if err != nil {
		return nil, err
	}
	defer w.Close()
	q := &cases.Prover{Wanted: wanted, Acc: p.Cfg.Acc, Say: p.Cfg.Say, Log: p.Log}
	q.Ask = func(ctx context.Context, proof *device.Proof) (device.ProofReply, error) {
		return askProof(ctx, w, reference, proof)
	}
	if p.Cfg.Teller != nil {
		q.Ask = p.askTeller(w)
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
