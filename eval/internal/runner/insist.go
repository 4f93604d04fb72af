package runner

import (
	"context"
	"errors"

	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// tries is how often a step of opening a session is begun: a worker may be killed from outside, where memory is short
// or by a person, and a search that opens has no verdicts to lose yet.
const tries = 3

// Insist does a step, again where a worker was killed during it. A step can be done again from its beginning.
func Insist(ctx context.Context, tell func(error), step func() error) (err error) {
	for range tries {
		if err = step(); err == nil || ctx.Err() != nil || !killed(err) {
			return err
		}
		tell(err)
	}
	return err
}

// killed reports whether a worker was ended from outside.
func killed(err error) bool {
	var died *proc.Died
	return errors.Is(err, kernels.ErrLost) || errors.As(err, &died) && died.Signal != 0 && !died.Crash()
}

// Starved reports whether a worker was ended from outside, or by the kernel for want of memory.
func Starved(err error) bool {
	var died *proc.Died
	return killed(err) || errors.As(err, &died) && died.Memory
}
