package eval

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// judges owns the process that compares outputs with the truth: one at a time, replaced when it is lost. No
// candidate runs in it, so its end is never a candidate's fault.
type judges struct {
	log   *slog.Logger
	spec  proc.Spec
	setup *checker.Setup

	mu     sync.Mutex
	worker *proc.Worker
	failed int // starts in a row that failed
}

// judge asks the checker. Where it is lost, the evaluation is, and may be asked for again.
func (p *Pool) judge(ctx context.Context, req checker.Request) (checker.JudgeReply, error) {
	j := &p.checker
	j.mu.Lock()
	defer j.mu.Unlock()
	var reply checker.JudgeReply
	if err := j.ready(ctx); err != nil {
		return reply, err
	}
	err := j.worker.Call(ctx, req, &reply, fillDeadline, nil)
	if err != nil && ctx.Err() == nil && !j.worker.Alive() {
		j.log.Warn("checker lost", "error", err)
		err = fmt.Errorf("%w: %w", kernels.ErrLost, err)
	}
	return reply, err
}

// ready starts a checker when there is none. The caller holds mu.
func (j *judges) ready(ctx context.Context) error {
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
	case j.failed < len(respite):
		return fmt.Errorf("%w: start the checker: %w", kernels.ErrLost, err)
	}
	return gone("the checker", j.failed, err, "See the system's log: it takes memory and nothing else")
}

func (j *judges) start(ctx context.Context) error {
	if err := j.close(); err != nil {
		return err
	}
	w, err := proc.Start(ctx, j.spec)
	if err != nil {
		return err
	}
	if err := w.Call(ctx, checker.Request{Setup: j.setup}, nil, fillDeadline, nil); err != nil {
		return errors.Join(err, w.Close())
	}
	j.worker = w
	return nil
}

func (j *judges) close() error {
	if j.worker == nil {
		return nil
	}
	err := j.worker.Close()
	j.worker = nil
	return err
}
