package verdict

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"darwarp/eval/internal/compile"
	"darwarp/eval/internal/device"
	"darwarp/eval/trace"
	"darwarp/kernels"
	"darwarp/kernels/source"
)

// Resolve gives the plan its numbers at every size.
func (e *Evaluation) Resolve(context.Context) error {
	for i := range e.Cases.List {
		c, err := e.Job.Resolve(e.Cases.List[i].Dims)
		if err != nil {
			e.Fail(kernels.Invalid, "at %s: %v", e.Cases.List[i].Name, err)
			return nil
		}
		for _, l := range c.Launches {
			if l.Smem > e.Device.SmemPerBlock {
				e.Fail(kernels.Invalid, "kernel %s needs %d bytes of shared memory, %s allows %d per block", l.Entry, l.Smem,
					e.Device.Name, e.Device.SmemPerBlock)
				return nil
			}
		}
		e.Calls = append(e.Calls, c)
	}
	return nil
}

// Compile has the source compiled, and looks whether its machine code was seen before.
func (e *Evaluation) Compile(ctx context.Context) error {
	span := trace.Begin(ctx, "compile")
	defer span.End()
	start := time.Now()
	out, err := e.Compiler.Compile(ctx, e.Job.Source)
	span.Note("cached", out.Cached)
	if err != nil { // no compiler could be started
		return fmt.Errorf("%w: %w", kernels.ErrLost, err)
	}
	e.Res.Cost.Compile = out.Seconds
	e.Res.Cost.Wait = max(0, time.Since(start).Seconds()-out.Seconds)
	if out.Failure != "" {
		outcome := kernels.CompileFailed
		if out.Unsupported {
			outcome = kernels.Unsupported
		}
		e.Fail(outcome, "%s", out.Failure)
		return nil
	}
	if why := source.Check(e.Job.Source); why != "" { // an export is built where NVRTC does not look
		e.Fail(kernels.CompileFailed, "%s", why)
		return nil
	}
	if p := e.Checkers; p != nil {
		watched, err := p.Compile(ctx, e.Job.Source)
		if err != nil {
			return fmt.Errorf("%w: %w", kernels.ErrLost, err)
		}
		if watched.Failure != "" {
			return fmt.Errorf("compiles, but not with its accesses reported: %s", watched.Failure)
		}
		e.Checked = watched.Cubin
	}
	if out.State != "" {
		e.Fail(kernels.Suspect, device.Keeps, out.State)
		return nil
	}
	e.Cubin, e.Res.Resources = out.Cubin, out.Resources
	e.Res.Code = codeKey(out, e.Calls)
	if first, dup := e.claim(e.Res.Code); dup && !e.Again {
		e.Fail(kernels.Duplicate, "same machine code and launches as %s", first.Short())
	}
	return nil
}

// codeKey names machine code together with how it is launched.
func codeKey(out compile.Output, calls []kernels.Call) string {
	h := sha256.New()
	h.Write([]byte(out.Code))
	if err := json.NewEncoder(h).Encode(calls); err != nil { // numbers and strings
		panic(err)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}
