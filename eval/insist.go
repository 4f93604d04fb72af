package eval

import (
	"context"
	"errors"

	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// tries is how often a step of opening a session is begun: a worker may be killed from outside, where memory is short
// or by a person, and a search that opens has no verdicts to lose yet.
const tries = 3

// insist is the function of that name for a step of this session.
func (p *Pool) insist(ctx context.Context, step func() error) error {
	return insist(ctx, func(err error) {
		p.log.Warn("worker lost while opening", "error", err)
		p.cfg.progress("a worker was killed from outside; starting it again")
	}, step)
}

// insist does a step, again where a worker was killed during it. A step can be done again from its beginning.
func insist(ctx context.Context, tell func(error), step func() error) (err error) {
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
