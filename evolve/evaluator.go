package evolve

import (
	"context"

	"darwarp/kernels"
)

// Evaluator gives verdicts. Evaluate and Duel are called from many goroutines, and must return soon after their context
// ends.
type Evaluator interface {
	Device() kernels.Device
	// Slots is how many Evaluate calls are kept in flight.
	Slots() int
	// InOrder says that results are taken in the order of asking, so that a seed fixes the run.
	InOrder() bool
	// Evaluate fails only when darwarp itself is broken: what a candidate does wrong is its Outcome.
	Evaluate(ctx context.Context, job *kernels.Job) (kernels.Result, error)
	// Duel compares two candidates in turn.
	Duel(ctx context.Context, champion, challenger *kernels.Job) (kernels.Duel, error)
	Provenance() kernels.Provenance
	// Capabilities is what it can do beside.
	Capabilities() kernels.Capabilities
}
