package evolve

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"darwarp/kernels"
	"darwarp/templates"
)

// Config is what to search.
type Config struct {
	Bundle    *templates.Bundle
	DType     kernels.DType
	Workloads []kernels.Workload
	Spaces    []*kernels.Space // one per family; the default of the first is the naive start
	Objective kernels.Objective
	Portfolio int    // more than 1: that many kernels are wanted, and the best at one workload are bred from too
	Strategy  string // one of Strategies; empty is DefaultStrategy
	Seed      uint64
	Budget    Budget
	Hints     []Hint       // what another run found out; a run that is resumed keeps its own
	Advisor   Advisor      // proposes too; nil: none
	GenesOnly bool         // the evaluator judges points of the spaces and nothing else: recordings
	Log       *slog.Logger // nil: nothing is logged

	// Job gives the job of a space's point, the default's for -1; nil: it is rendered from Bundle. Where many
	// searches of one recording are scored they share the rendering. It is called by the search alone.
	Job func(space, index int) (kernels.Job, error)
}

// complete fills in what was left out, and refuses what cannot be searched.
func (c *Config) complete() error {
	if c.Strategy == "" {
		c.Strategy = DefaultStrategy
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	switch {
	case len(c.Spaces) == 0:
		return errors.New("search: no family has a legal point on this device")
	case len(c.Workloads) == 0:
		return errors.New("search: no workload")
	}
	if err := c.Objective.Check(c.Workloads); err != nil {
		return fmt.Errorf("search: %w", err)
	}
	return nil
}

// Budget bounds a search. Zero fields bound nothing.
type Budget struct {
	Evals int           `json:"evals,omitempty"` // verdicts, duplicates not counted
	For   time.Duration `json:"for,omitempty"`   // ns elapsed over all sessions of the run
	Stall int           `json:"stall,omitempty"` // verdicts in a row without a faster candidate
}

// spent names the part of the budget that is used up. Verdicts in flight are counted as given: one that turns out to be
// a duplicate is made up for.
func (b Budget) spent(p *progress, inFlight int, elapsed time.Duration) Reason {
	switch {
	case b.Evals > 0 && p.Evals+inFlight >= b.Evals:
		return ReasonEvals
	case b.For > 0 && elapsed >= b.For:
		return ReasonTime
	case b.Stall > 0 && p.Evals-p.LastGain >= b.Stall:
		return ReasonStall
	}
	return ""
}

// maxETA is more than anybody waits for, and can be counted in ns.
const maxETA = 100 * 365 * 24 * time.Hour

// eta is the time until the first part of the budget is used up, 0 when nothing says it.
func (b Budget) eta(evals int, at time.Duration, rate float64) time.Duration {
	var left time.Duration
	if n := b.Evals - evals; b.Evals > 0 && n > 0 && rate > 0 {
		left = time.Duration(min(float64(n)/rate, maxETA.Seconds()) * float64(time.Second))
	}
	if d := b.For - at; b.For > 0 && d > 0 && (left == 0 || d < left) {
		left = d
	}
	return left
}

// left is the time that is left; negative where time is not bounded.
func (b Budget) left(elapsed time.Duration) time.Duration {
	if b.For == 0 {
		return -1
	}
	return max(0, b.For-elapsed)
}

// hurries says that time is what there is to spend, and not evaluations.
func (b Budget) hurries() bool { return b.For > 0 && b.Evals == 0 }
