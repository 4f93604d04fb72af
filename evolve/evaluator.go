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
}

// Simulated is what an Evaluator may also be: its time passes as the costs of its results say, divided by its
// slots, and not by the clock on the wall.
type Simulated interface{ Simulated() bool }

// Monitored is what an Evaluator may also be: it knows how busy its machine is. Machine is called from one goroutine,
// every 2 s, and must return soon after its context ends.
type Monitored interface {
	Machine(ctx context.Context) kernels.Machine
}

// Controlled is what an Evaluator may also be: its noise is to be measured now and then, by a duel of the champion with
// itself. Provenance tells the noise, which never shrinks within a session. An error that is a kernels.ErrLost means
// that nothing came of it.
type Controlled interface {
	Control(ctx context.Context, champion *kernels.Job) error
}

// Weigher is what an Evaluator may also be: its duels follow new weights of the workloads from now on.
type Weigher interface {
	Weigh(workloads []kernels.Workload)
}
