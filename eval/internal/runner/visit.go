package runner

import (
	"context"

	"darwarp/eval/trace"
)

// visit is what a trace shows of somebody who has the device: in the caller's row, and with each phase in the device's.
type visit struct {
	lane                 *trace.Lane
	caller, whole, phase *trace.Span
}

func (r *Runner) visit(ctx context.Context, what string) *visit {
	lane := r.Trace.Take(r.Row)
	return &visit{lane: lane, caller: trace.Begin(ctx, "on the device"), whole: lane.Begin(what),
		phase: lane.Begin("send")}
}

func (v *visit) next(phase string) {
	v.phase.End()
	v.phase = v.lane.Begin(phase)
}

func (v *visit) end() {
	v.phase.End()
	v.whole.End()
	v.caller.End()
	v.lane.Free()
}
