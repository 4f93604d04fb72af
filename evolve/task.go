package evolve

import "darwarp/kernels"

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
}

func (t *task) isDuel() bool { return !t.Challenger.IsZero() }

// isVerdict says that it takes one of the evaluator's slots. Duels and trials do not, for they are few.
func (t *task) isVerdict() bool { return !t.isDuel() && t.purpose != forTrial }

// purpose is why the evaluator is asked. No checkpoint keeps a task that is not for the run.
type purpose uint8

const (
	forRun   purpose = iota
	forProbe         // whether evaluating works: the champion, again
	forNoise         // the noise of the champion against itself
	forTrial         // whether a would-be champion stands its trial
)

// answer is what came of a task.
type answer struct {
	task   *task
	result kernels.Result
	duel   kernels.Duel
	trial  kernels.Trial
	err    error
}
