package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/judge"
	"darwarp/kernels"
)

// Judged has the device do what req asks, and its outputs judged. outputs says after the call which lie in the slot;
// nil: none to judge. A judge on the GPU works before anybody else gets the device; the checker works beside the next
// caller. It says when the caller got the device.
func (r *Runner) Judged(ctx context.Context, req device.Request, reply any, deadline time.Duration,
	outputs func() *checker.Judge) (began time.Time, verdict checker.JudgeReply, err error) {
	began, all, err := r.JudgedAll(ctx, req, reply, deadline, func() []*checker.Judge {
		if about := outputs(); about != nil {
			return []*checker.Judge{about}
		}
		return nil
	})
	if len(all) > 0 {
		verdict = all[0]
	}
	return began, verdict, err
}

// JudgedAll is Judged for outputs in several slots.
func (r *Runner) JudgedAll(ctx context.Context, req device.Request, reply any, deadline time.Duration,
	outputs func() []*checker.Judge) (began time.Time, verdicts []checker.JudgeReply, err error) {
	ask := func() error {
		for _, about := range outputs() {
			v, err := r.Judge.verdict(ctx, about)
			if err != nil {
				return err
			}
			verdicts = append(verdicts, v)
		}
		return nil
	}
	if r.Judge.GPU != nil {
		began, err = r.callThen(ctx, req, reply, deadline, ask)
		return began, verdicts, err
	}
	if began, err = r.CallAt(ctx, req, reply, deadline); err == nil {
		err = ask()
	}
	return began, verdicts, err
}

// JudgeGiven judges the outputs of a case that come from elsewhere, one after the other.
func (r *Runner) JudgeGiven(ctx context.Context, about checker.Judge, outputs [][]byte) (
	verdict checker.JudgeReply, err error) {
	if g := r.Judge.GPU; g != nil {
		r.Alone("judge", func() {
			pack(g.Host.Map(), outputs)
			verdict, err = r.Judge.Call(ctx, judge.Request{Check: &checker.Request{Judge: &about}, Given: true})
		})
		return verdict, err
	}
	slot, err := r.Slot(ctx, false)
	if err != nil {
		return verdict, err
	}
	defer r.Free(slot)
	about.Slot = slot
	pack(r.Out.Map()[slot*r.Prepare.SlotBytes:], outputs)
	return r.Judge.verdict(ctx, &about)
}

// pack places outputs as device.Pack does.
func pack(into []byte, outputs [][]byte) {
	for _, out := range outputs {
		copy(into, out)
		into = into[(len(out)+255)&^255:]
	}
}

// FaultOf says what a device call's fault, or the loss of its worker, means for the candidate.
func (r *Runner) FaultOf(f *device.Fault, err error) (kernels.Outcome, string, error) {
	var l *Lost
	switch {
	case errors.As(err, &l) && l.Timeout:
		return kernels.TimedOut, fmt.Sprintf("did not finish (%s): %v", l.Phase, l.Err), nil
	case errors.As(err, &l):
		return kernels.Crashed, fmt.Sprintf("killed the device process (%s): %v", l.Phase, l.Err), nil
	case err != nil:
		return 0, "", err
	case f == nil:
		return 0, "", nil
	case f.Launch:
		return kernels.Invalid, fmt.Sprintf("cannot be launched (%s): %s", f.Case, f.Text), nil
	}
	// The process is lost for CUDA: take a fresh one before anybody else asks.
	return kernels.Crashed, fmt.Sprintf("%s: %s", f.Case, f.Text), r.Restart()
}
