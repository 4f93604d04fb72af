package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/judge"
	"darwarp/eval/internal/proc"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// Judge owns the process that compares outputs with the truth: one at a time, replaced when it is lost. No
// candidate runs in it, so its end is never a candidate's fault.
type Judge struct {
	log   *slog.Logger
	Setup *checker.Setup
	Spec  proc.Spec // of the checker, which compares on the processor
	GPU   *GPUJudge // compares on the GPU in its place; nil: there is none

	mu     sync.Mutex
	worker *proc.Worker
	failed int // starts in a row that failed
}

// name is what the process is called where it fails.
func (j *Judge) name() string {
	if j.GPU != nil {
		return "the judge"
	}
	return "the checker"
}

// Call asks about the truth itself, or about outputs that are given to the judge. Where the judge is lost, the
// evaluation is, and may be asked for again.
func (j *Judge) Call(ctx context.Context, req judge.Request) (checker.JudgeReply, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.ready(ctx); err != nil {
		return checker.JudgeReply{}, err
	}
	return j.ask(ctx, req)
}

// verdict asks about outputs in a slot. Those in the memory of a judge that was lost are lost with it.
func (j *Judge) verdict(ctx context.Context, about *checker.Judge) (checker.JudgeReply, error) {
	defer trace.Begin(ctx, "judge").End()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.GPU != nil && (j.worker == nil || !j.worker.Alive()) {
		return checker.JudgeReply{}, fmt.Errorf("%w: the judge ended", kernels.ErrLost)
	}
	if err := j.ready(ctx); err != nil {
		return checker.JudgeReply{}, err
	}
	return j.ask(ctx, judge.Request{Check: &checker.Request{Judge: about}})
}

// ask asks the process that there is. The caller holds mu.
func (j *Judge) ask(ctx context.Context, req judge.Request) (reply checker.JudgeReply, err error) {
	if j.GPU != nil {
		err = j.worker.Call(ctx, req, &reply, TruthDeadline, nil)
	} else {
		err = j.worker.Call(ctx, req.Check, &reply, FillDeadline, nil)
	}
	if err != nil && ctx.Err() == nil && !j.worker.Alive() {
		j.log.Warn(j.name()+" lost", "error", err)
		err = fmt.Errorf("%w: %w", kernels.ErrLost, err)
	}
	return reply, err
}

// Wake starts a process where there is none.
func (j *Judge) Wake(ctx context.Context) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.ready(ctx)
}

// TakeGPU starts a judge on the GPU, which compares from now on.
func (j *Judge) TakeGPU(ctx context.Context, g *GPUJudge) error {
	w, err := g.start(ctx)
	if err != nil {
		return errors.Join(err, g.forget())
	}
	j.GPU, j.worker = g, w
	return nil
}

// outputs is the memory that a judge on the GPU wants outputs in. It starts one when there is none.
func (j *Judge) outputs(ctx context.Context) (*os.File, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.ready(ctx); err != nil {
		return nil, err
	}
	return j.GPU.outputs, nil
}

// ready starts a process when there is none. The caller holds mu.
func (j *Judge) ready(ctx context.Context) error {
	if j.worker != nil && j.worker.Alive() {
		return nil
	}
	if err := rest(ctx, j.failed); err != nil {
		return err
	}
	err := j.start(ctx)
	if err == nil {
		j.failed = 0
		return nil
	}
	switch j.failed++; {
	case ctx.Err() != nil:
		return err
	case j.failed < len(Respite):
		return fmt.Errorf("%w: start %s: %w", kernels.ErrLost, j.name(), err)
	}
	do := "See the system log: the checker needs memory and nothing else"
	if j.GPU != nil {
		do = "See nvidia-smi and darwarp doctor"
	}
	return gone(j.name(), j.failed, err, do)
}

func (j *Judge) start(ctx context.Context) (err error) {
	if err := j.close(); err != nil {
		return err
	}
	if j.GPU != nil {
		j.worker, err = j.GPU.start(ctx)
		return err
	}
	w, err := proc.Start(ctx, j.Spec)
	if err != nil {
		return err
	}
	if err := w.Call(ctx, checker.Request{Setup: j.Setup}, nil, FillDeadline, nil); err != nil {
		return errors.Join(err, w.Close())
	}
	j.worker = w
	return nil
}

func (j *Judge) close() error {
	var errs []error
	if j.worker != nil {
		errs = append(errs, j.worker.Close())
		j.worker = nil
	}
	if j.GPU != nil {
		errs = append(errs, j.GPU.forget())
	}
	return errors.Join(errs...)
}
