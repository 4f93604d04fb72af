package evolve

import (
	"math"

	"darwarp/kernels"
	"darwarp/mutate"
)

// deme is a population that candidates belong to: the points of one space, or the sources that are points of none. All
// that differs between the two is here.
type deme interface {
	number() int    // in tasks and checkpoints
	family() string // empty: none
	job(r *renderer, t *task) (*kernels.Job, error)
	task(m *member) *task    // asks for a member again
	check(t *task) error     // refuses a task of a checkpoint that cannot be asked for
	claim(index int)         // notes that a point is asked for
	tried(t *task) error     // says that a proposal was asked for before, and notes that it is now
	authored(index int) bool // a language model wrote it as a whole: why it failed is told back

	// judge enters a verdict; opened says that more may be asked for now.
	judge(c *kernels.Candidate, index int, r rating) (opened bool)
	// gain is what an operator gains by a verdict; counts is false where the verdict says nothing of it.
	gain(index int, r rating) (gain float64, counts bool)
	// insert enters a candidate that others may learn from; alone has its score at each niche's workload.
	insert(c *kernels.Candidate, index int, r rating, alone []float64)
	ranked() []*mutate.Individual
	fail(fell map[kernels.ID]bool) // makes candidates failures that fell on trial
	removeDead(dead map[kernels.ID]bool) int
	rank(score func(*mutate.Individual) float64)
}

// rating is what a verdict is worth.
type rating struct {
	score     float64 // +Inf where it failed
	duplicate bool    // its machine code was seen before
	known     bool    // and the score of that is known
}

// teaches reports whether anything is known of the candidate now.
func (r rating) teaches() bool { return !r.duplicate || r.known }

func (r rating) failed() bool { return math.IsInf(r.score, 1) }
