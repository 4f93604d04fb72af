package evolve

import (
	"context"
	"time"

	"darwarp/kernels"
)

// task is something that the evaluator is asked for: a verdict on a candidate, or a duel. Its exported fields are
// what a checkpoint keeps of it.
type task struct {
	Space      int              `json:"space"` // number of the deme
	Index      int              `json:"index"` // in its space; -1: the naive start, where pins exclude it, or no point
	Variant    *kernels.Variant `json:"variant,omitempty"`
	Origin     kernels.Origin   `json:"origin"`
	Attempts   int              `json:"attempts,omitempty"`  // that were lost
	Champion   kernels.ID       `json:"champion,omitzero"`   // of a duel
	Challenger kernels.ID       `json:"challenger,omitzero"` // of a duel
	Weighed    int              `json:"weighed,omitempty"`   // of a duel: Steering.Weighed when it began
	job        *kernels.Job     // the challenger's, of a duel
	champion   *kernels.Job     // of a duel
	purpose    purpose
	doubts     *member             // of a trial: whose it is
	parts      []kernels.TrialPart // of it
	flight
}

// flight is a task that the evaluator was asked for.
type flight struct {
	asked     time.Time
	watch     *kernels.Watch
	cancel    context.CancelCauseFunc
	withdrawn bool // nobody waits for it any more: it is asked for again in the next session
	dropped   bool // nobody wants to know any more
}

// isAsked says that the evaluator was asked; it was not where the answer was known before, as of a stored duel.
func (f *flight) isAsked() bool { return f.cancel != nil }

// drop gives up a task that something better has overtaken.
func (f *flight) drop() {
	f.dropped = true
	f.cancel(kernels.ErrOvertaken)
}

func (t *task) isDuel() bool { return !t.Challenger.IsZero() }

// isLikely says that it is for a point that its family says to try first.
func (t *task) isLikely() bool { return t.isVerdict() && t.Origin.Operator == startOperator }

// isVerdict says that it takes one of the evaluator's slots. Duels, trials and what keeps pace do not: they are few.
func (t *task) isVerdict() bool { return !t.isDuel() && t.purpose != forTrial && t.purpose != forPace }

// purpose is why the evaluator is asked. No checkpoint keeps a task that is not for the run.
type purpose uint8

const (
	forRun   purpose = iota
	forProbe         // whether evaluating works: the champion, again
	forNoise         // the noise of the champion against itself
	forTrial         // whether a would-be champion stands its trial
	forPace          // how much faster than the naive start the champion is now
)

// answer is what came of a task.
type answer struct {
	task   *task
	result kernels.Result
	duel   kernels.Duel
	trial  kernels.Trial
	err    error
}
