package rig

import (
	"context"
	"fmt"
	"time"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/check"
	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/proc"
	"darwarp/eval/internal/runner"
	"darwarp/kernels"
)

// Teller tells the truth of a problem that has no reference kernel. Several goroutines may ask it.
type Teller interface {
	// Fits says why there is no truth at some sizes; empty: there is.
	Fits(ctx context.Context, dims kernels.Dims) (why string, err error)
	// Tell adds to a case with inputs its values, scales and terms.
	Tell(ctx context.Context, t *Truth) error
}

// fitting is which sizes there is a truth at; nil: all.
func (p *Rig) fitting(ctx context.Context) func(kernels.Dims) (bool, error) {
	if p.Cfg.Teller == nil {
		return nil
	}
	return func(d kernels.Dims) (bool, error) {
		why, err := p.Cfg.Teller.Fits(ctx, d)
		return why == "", err
	}
}

// openTold starts the checker with the truth that the teller tells. A process that ends then makes the inputs.
func (p *Rig) openTold(ctx context.Context, open device.Open) error {
	if err := p.insist(ctx, func() error { return p.makeTruth(ctx, open, nil) }); err != nil {
		return err
	}
	terms := p.Runner.Judge.Setup.Terms
	offsets, _ := device.PackInputs(p.Cases.List, p.wantedInputs())
	said := time.Now()
	for i := range p.Cases.List {
		if time.Since(said) > tellEvery {
			p.Cfg.Say(fmt.Sprintf("computing the truth, case %d of %d", i+1, len(p.Cases.List)))
			said = time.Now()
		}
		c := &p.Cases.List[i]
		inputs, err := c.Inputs(p.inputs.Map(), offsets[i])
		if err != nil {
			return err
		}
		into := checker.TruthsOf(c, p.Truth.Map()[c.TruthAt:])
		k, err := tell(ctx, p.Cfg.Teller, c, inputs, into)
		if err != nil {
			return err
		}
		terms[i] = cases.TermsOf(c, max(terms[i].K, terms[i].Chain, k))
	}
	return p.insist(ctx, func() error { return p.Runner.Judge.Wake(ctx) })
}

// tellEvery is how often it is told how far the truth has come.
const tellEvery = 10 * time.Second

// tell has the truth of a case told, and returns how many terms an output has.
func tell(ctx context.Context, teller Teller, c *device.Case, inputs [][]byte, into []check.Truth) (
	terms int, err error) {
	t := Truth{Name: c.Name, Dims: c.Dims, Buffers: c.Buffers, Inputs: inputs}
	if err := teller.Tell(ctx, &t); err != nil {
		return 0, fmt.Errorf("the truth at %s: %w", c.Name, err)
	}
	if len(t.Values) != len(into) || len(t.Scales) != len(into) {
		return 0, fmt.Errorf("the truth at %s has %d outputs, the problem %d", c.Name, len(t.Values), len(into))
	}
	for k := range into {
		if n := len(into[k].Value); len(t.Values[k]) != n || len(t.Scales[k]) != n {
			return 0, fmt.Errorf("the truth at %s has %d numbers in output %d, the problem %d", c.Name, len(t.Values[k]), k+1, n)
		}
		copy(into[k].Value, t.Values[k])
		copy(into[k].Scale, t.Scales[k])
	}
	return t.Terms, nil
}

// askTeller is askProof where a teller has the truth. Inputs that are too large to be given to it are told, and nothing
// is proved on them.
func (p *Rig) askTeller(w *proc.Worker) func(context.Context, *device.Proof) (device.ProofReply, error) {
	said := map[string]bool{}
	return func(ctx context.Context, proof *device.Proof) (device.ProofReply, error) {
		if n := proof.Case.InBytes(); n > GivenBytes {
			if size := fmt.Sprint(proof.Case.Dims); !said[size] {
				said[size] = true
				p.Cfg.Say(fmt.Sprintf("it is not proved what the check detects at %s: the module gets %d MiB of inputs there, "+
					"and does not run where they are smaller", size, n>>20))
			}
			return device.ProofReply{}, nil
		}
		return proof.Run(&toldReferee{ctx, p.Cfg.Teller, w, proof})
	}
}

// toldReferee asks the teller for the truth of a proof's case, of whose inputs a device makes a part neutral.
type toldReferee struct {
	ctx    context.Context
	teller Teller
	worker *proc.Worker
	proof  *device.Proof
}

// Truth is that of device.Referee.
func (r *toldReferee) Truth(o *device.Omission) ([]check.Truth, error) {
	c := &r.proof.Case
	var reply device.InputsReply
	req := device.Request{Inputs: &device.Inputs{Of: c, Omission: o}}
	if err := r.worker.Call(r.ctx, req, &reply, runner.FillDeadline, nil); err != nil {
		return nil, err
	}
	inputs, rest := make([][]byte, len(c.Buffers)), reply.Bytes
	for j, b := range c.Buffers {
		if !b.Out {
			if len(rest) < b.Bytes() {
				return nil, fmt.Errorf("%s: inputs of %d bytes", c.Name, len(reply.Bytes))
			}
			inputs[j], rest = rest[:b.Bytes()], rest[b.Bytes():]
		}
	}
	raw := make([]byte, c.TruthBytes())
	k, err := tell(r.ctx, r.teller, c, inputs, checker.TruthsOf(c, raw))
	if err != nil {
		return nil, err
	}
	if o == nil {
		r.proof.Length = cases.TermsOf(c, max(r.proof.Length.K, r.proof.Length.Chain, k))
	}
	return c.TruthsIn(device.From(raw))
}
