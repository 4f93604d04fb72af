package eval

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/judge"
	"darwarp/eval/internal/proc"
	"darwarp/eval/trace"
	"darwarp/kernels"
)

// judges owns the process that compares outputs with the truth: one at a time, replaced when it is lost. No
// candidate runs in it, so its end is never a candidate's fault.
type judges struct {
	log   *slog.Logger
	setup *checker.Setup
	spec  proc.Spec // of the checker, which compares on the processor
	gpu   *gpuJudge // compares on the GPU in its place; nil: there is none

	mu     sync.Mutex
	worker *proc.Worker
	failed int // starts in a row that failed
}

// name is what the process is called where it fails.
func (j *judges) name() string {
	if j.gpu != nil {
		return "the judge"
	}
	return "the checker"
}

// judge asks about the truth itself, or about outputs that are given to the judge. Where the judge is lost, the
// evaluation is, and may be asked for again.
func (p *Pool) judge(ctx context.Context, req judge.Request) (checker.JudgeReply, error) {
	j := &p.checker
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.ready(ctx); err != nil {
		return checker.JudgeReply{}, err
	}
	return j.ask(ctx, req)
}

// judged has the device do what req asks, and its outputs judged. outputs says after the call which lie in the slot;
// nil: none to judge. A judge on the GPU works before anybody else gets the device; the checker works beside the next
// caller.
func (p *Pool) judged(ctx context.Context, req device.Request, reply any, deadline time.Duration,
	outputs func() *checker.Judge) (verdict checker.JudgeReply, err error) {
	_, all, err := p.judgedAll(ctx, req, reply, deadline, func() []*checker.Judge {
		if about := outputs(); about != nil {
			return []*checker.Judge{about}
		}
		return nil
	})
	if len(all) > 0 {
		verdict = all[0]
	}
	return verdict, err
}

// judgedAll is judged for outputs in several slots. It says when the caller got the device.
func (p *Pool) judgedAll(ctx context.Context, req device.Request, reply any, deadline time.Duration,
	outputs func() []*checker.Judge) (began time.Time, verdicts []checker.JudgeReply, err error) {
	ask := func() error {
		for _, about := range outputs() {
			v, err := p.verdictOn(ctx, about)
			if err != nil {
				return err
			}
			verdicts = append(verdicts, v)
		}
		return nil
	}
	if p.checker.gpu != nil {
		began, err = p.runner.callThen(ctx, req, reply, deadline, ask)
		return began, verdicts, err
	}
	if began, err = p.runner.callAt(ctx, req, reply, deadline); err == nil {
		err = ask()
	}
	return began, verdicts, err
}

// verdictOn asks about outputs in a slot. Those in the memory of a judge that was lost are lost with it.
func (p *Pool) verdictOn(ctx context.Context, about *checker.Judge) (checker.JudgeReply, error) {
	defer trace.Begin(ctx, "judge").End()
	j := &p.checker
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.gpu != nil && (j.worker == nil || !j.worker.Alive()) {
		return checker.JudgeReply{}, fmt.Errorf("%w: the judge ended", kernels.ErrLost)
	}
	if err := j.ready(ctx); err != nil {
		return checker.JudgeReply{}, err
	}
	return j.ask(ctx, judge.Request{Check: &checker.Request{Judge: about}})
}

// judgeGiven judges the outputs of a case that come from elsewhere, one after the other.
func (p *Pool) judgeGiven(ctx context.Context, about checker.Judge, outputs [][]byte) (
	verdict checker.JudgeReply, err error) {
	if g := p.checker.gpu; g != nil {
		p.runner.alone("judge", func() {
			pack(g.host.Map(), outputs)
			verdict, err = p.judge(ctx, judge.Request{Check: &checker.Request{Judge: &about}, Given: true})
		})
		return verdict, err
	}
	slot, err := p.slot(ctx, false)
	if err != nil {
		return verdict, err
	}
	defer p.free(slot)
	about.Slot = slot
	pack(p.out.Map()[slot*p.cases.SlotBytes():], outputs)
	return p.verdictOn(ctx, &about)
}

// pack places outputs as device.Pack does.
func pack(into []byte, outputs [][]byte) {
	for _, out := range outputs {
		copy(into, out)
		into = into[(len(out)+255)&^255:]
	}
}

// ask asks the process that there is. The caller holds mu.
func (j *judges) ask(ctx context.Context, req judge.Request) (reply checker.JudgeReply, err error) {
	if j.gpu != nil {
		err = j.worker.Call(ctx, req, &reply, truthDeadline, nil)
	} else {
		err = j.worker.Call(ctx, req.Check, &reply, fillDeadline, nil)
	}
	if err != nil && ctx.Err() == nil && !j.worker.Alive() {
		j.log.Warn(j.name()+" lost", "error", err)
		err = fmt.Errorf("%w: %w", kernels.ErrLost, err)
	}
	return reply, err
}

// outputs is the memory that a judge on the GPU wants outputs in. It starts one when there is none.
func (j *judges) outputs(ctx context.Context) (*os.File, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.ready(ctx); err != nil {
		return nil, err
	}
	return j.gpu.outputs, nil
}

// ready starts a process when there is none. The caller holds mu.
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
		return fmt.Errorf("%w: start %s: %w", kernels.ErrLost, j.name(), err)
	}
	do := "See the system log: the checker needs memory and nothing else"
	if j.gpu != nil {
		do = "See nvidia-smi and darwarp doctor"
	}
	return gone(j.name(), j.failed, err, do)
}

func (j *judges) start(ctx context.Context) (err error) {
	if err := j.close(); err != nil {
		return err
	}
	if j.gpu != nil {
		j.worker, err = j.gpu.start(ctx)
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
	var errs []error
	if j.worker != nil {
		errs = append(errs, j.worker.Close())
		j.worker = nil
	}
	if j.gpu != nil {
		errs = append(errs, j.gpu.forget())
	}
	return errors.Join(errs...)
}
