// Package verdict brings one candidate to its verdict on a rig: it is compiled, run on every case between guards, its
// outputs are judged, and it is timed. What a session has found out so is kept for duels and trials.
package verdict

import (
	"context"
	"errors"
	"fmt"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/runner"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// Result brings the candidate to its verdict.
func (e *Evaluation) Result(ctx context.Context) (kernels.Result, error) {
	began := e.Session
	lane := e.Cfg.Trace.Take("candidates")
	defer lane.Free()
	span := lane.Begin("candidate")
	defer span.End()
	err := e.run(trace.With(runner.Candidate(ctx, e.Job.Likely), lane))
	span.Note("id", e.Job.ID.Short())
	span.Note("outcome", e.Res.Outcome)
	if err != nil {
		if ctx.Err() != nil {
			return kernels.Result{Outcome: kernels.Lost, Detail: "stopped"}, ctx.Err()
		}
		lost := kernels.Result{Outcome: kernels.Lost, Detail: kernels.CleanDetail(err.Error())}
		if errors.Is(err, kernels.ErrLost) {
			began.forget(e.Job, e.Res.Code)
			return lost, nil
		}
		return lost, err
	}
	e.Res.Detail = kernels.CleanDetail(e.Res.Detail)
	e.Res.Provenance = e.Proof.Key() // of the GPU that it got
	return e.Res, nil
}

// Evaluation is one candidate on its way.
type Evaluation struct {
	*Session
	Job     *kernels.Job
	Place   func(context.Context, *Evaluation) error // finds it a GPU once it is compiled; nil: it stays where it is
	Res     kernels.Result
	Cubin   []byte
	Checked []byte                   // with every access reported, where races are looked for
	Calls   []kernels.Call           // by case
	Elapsed map[string]float64       // ns a call at the gate, by workload: the least of its sets of inputs
	laps    map[string]int           // how many these were
	Again   bool                     // machine code that was seen before is judged like any other
	Outputs *[]byte                  // where the outputs of the gate are wanted as well
	Urgent  bool                     // goes before other candidates
	only    []int                    // cases to gate; nil: those of every candidate
	Right   map[int]device.CaseReply // of cases whose outputs were judged right
	lost    bool                     // it was so slow at the gate that not all of it was run
}

// Fail files the candidate as something.
func (e *Evaluation) Fail(o kernels.Outcome, format string, args ...any) {
	e.Res.Outcome, e.Res.Detail = o, fmt.Sprintf(format, args...)
}

// run goes from step to step until one gives a verdict.
func (e *Evaluation) run(ctx context.Context) error {
	if err := e.Steps(ctx, e.Resolve, e.Compile, e.onDevice); err != nil || e.Res.Outcome != kernels.Unknown {
		return err
	}
	e.Res.Outcome = kernels.OK
	if len(e.Job.Bar.Times()) == 0 { // the naive start, the first champion
		c := e.Contestant()
		c.Naive = true
		e.keep(e.Job.ID, c)
	}
	return nil
}

// Steps takes steps until one of them gives a verdict.
func (e *Evaluation) Steps(ctx context.Context, all ...func(context.Context) error) error {
	for _, step := range all {
		if err := step(ctx); err != nil || e.Res.Outcome != kernels.Unknown {
			return err
		}
	}
	return nil
}

// onDevice is what of a verdict takes the device: of several, the one that the host has free.
func (e *Evaluation) onDevice(ctx context.Context) error {
	if e.Place != nil {
		return e.Place(ctx, e)
	}
	return e.Measured(ctx)
}

// Measured gates and times what was compiled.
func (e *Evaluation) Measured(ctx context.Context) error { return e.Steps(ctx, e.Gate, e.Time) }
