package evolve

import (
	"context"
	"fmt"
	"runtime/debug"
)

// asker asks the evaluator, beside the loop.
type asker struct {
	ev     Evaluator
	trials *trials
}

// ask does a task. A panic of the evaluator is an error like any other: the run is saved.
func (x *asker) ask(ctx context.Context, t *task) (a answer) {
	a.task = t
	defer func() {
		if p := recover(); p != nil {
			a.err = fmt.Errorf("evaluator panicked: %v\n%s", p, debug.Stack())
		}
	}()
	switch {
	case t.purpose == forNoise:
		a.err = x.ev.Capabilities().Control(ctx, t.job)
	case t.purpose == forPace:
		a.duel, a.err = x.ev.Capabilities().Pace(ctx, t.champion, t.job)
	case t.purpose == forTrial:
		a.trial, a.err = x.trials.try(ctx, t)
	case t.isDuel():
		a.duel, a.err = x.ev.Duel(ctx, t.champion, t.job)
	default:
		a.result, a.err = x.ev.Evaluate(ctx, t.job)
	}
	return a
}
