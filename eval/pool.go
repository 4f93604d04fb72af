// Package eval brings candidates to a verdict: it compiles them, runs them between guards on secret
// inputs, compares their outputs with the truth, and times them. All of that happens in worker
// processes; this process never touches CUDA.
package eval

import (
	"context"
	"errors"
	"sync/atomic"

	"darwarp/eval/internal/duel"
	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/trial"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

// Config says what is evaluated, and on what; the rest are parts of it.
type (
	Config    = rig.Config
	Means     = rig.Means
	Trust     = rig.Trust
	Listeners = rig.Listeners
)

var (
	// ErrTooLarge says that the sizes asked for do not fit the device.
	ErrTooLarge = rig.ErrTooLarge
	// ErrUnfit says that the problem's check cannot tell right from wrong.
	ErrUnfit = rig.ErrUnfit
	// ErrGone is in the chain of an error after which nothing can be evaluated here: the device, the checker or the
	// compilers could not be had for long.
	ErrGone = runner.ErrGone
)

// Truth is what the reference kernel of a problem makes of the inputs of one case.
type Truth = rig.Truth

// Truths runs the reference kernel at the check shapes of a problem, on the cpu device, for somebody who holds it
// against something else: each gets the truth of one case, which is valid until it returns. An *env.Error says what
// this machine lacks.
func Truths(ctx context.Context, cfg Config, each func(Truth) error) error {
	return rig.Truths(ctx, cfg, each)
}

// Pool evaluates candidates on one device. It is evolve's Evaluator.
type Pool struct {
	*verdict.Session
	*duel.Duels
	*trial.Trials
	*baselines
	flying atomic.Int32
}

// Open readies a device for candidates: it finds the libraries, compiles harness and reference, computes
// the truth in a process that never sees a candidate, checks the check, and measures the device's
// ceilings. An *env.Error says what this machine lacks.
func Open(ctx context.Context, cfg rig.Config) (*Pool, error) { return openAs(ctx, cfg, rig.Options{}) }

// openAs is Open for a device that has to do with others.
func openAs(ctx context.Context, cfg rig.Config, with rig.Options) (*Pool, error) {
	r, err := rig.Open(ctx, cfg, with)
	if err != nil {
		return nil, err
	}
	return newPool(r), nil
}

func newPool(r *rig.Rig) *Pool {
	s := verdict.NewSession(r)
	d := duel.New(s)
	return &Pool{Session: s, Duels: d, Trials: trial.New(d), baselines: newBaselines(d)}
}

// Device is the GPU or processor with the toolchain that candidates are compiled by.
func (p *Pool) Device() kernels.Device { return p.Session.Device }

// Provenance is what every figure of this session stands on.
func (p *Pool) Provenance() kernels.Provenance {
	proof := p.Proof
	proof.Noise = p.Noise.Known()
	return proof
}

// Slots is how many evaluations to keep in flight: enough that every compiler has work while one
// candidate is on the device.
func (p *Pool) Slots() int { return p.Compiler.Slots() + 2*rig.OutputSlots }

// InOrder is false: results arrive as they are ready.
func (p *Pool) InOrder() bool { return false }

// Load is the share of the time that the device was in use, and how many device workers it took.
func (p *Pool) Load() (busy float64, workers int) { return p.Runner.Load() }

// Evaluate compiles, gates and times one candidate. What the candidate does wrong is the Result's
// Outcome; an error means that we are broken, or that ctx ended.
func (p *Pool) Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
	return p.evaluate(ctx, &verdict.Evaluation{Session: p.Session, Job: job})
}

func (p *Pool) evaluate(ctx context.Context, e *verdict.Evaluation) (kernels.Result, error) {
	p.flying.Add(1)
	defer p.flying.Add(-1)
	return e.Result(ctx)
}

// Close ends all workers.
func (p *Pool) Close() error {
	return errors.Join(p.Trials.Close(), p.baselines.close(), p.Session.Close())
}
