package store

import (
	"errors"

	"darwarp/kernels"
)

// errFound ends a walk early.
var errFound = errors.New("found")

// Start is the naive start, nil while the run has no verdict on it.
func (r *Run) Start() (start *kernels.Candidate, err error) {
	err = r.Each(func(c kernels.Candidate) error {
		if c.Origin.Operator == kernels.NaiveStart && c.Result.Outcome == kernels.OK {
			start = &c
			return errFound
		}
		return nil
	})
	if errors.Is(err, errFound) {
		err = nil
	}
	return start, err
}

// Pace is what the run's scores say of speedups over the naive start. The times of a recording do not drift.
func (r *Run) Pace() (p kernels.Pace, err error) {
	id, reigns := r.Champion()
	if !reigns || r.Meta().Device.Kind == "replay" {
		return p, nil
	}
	start, err := r.Start()
	if err != nil || start == nil {
		return p, err
	}
	c, err := r.Get(id)
	if err != nil {
		return p, err
	}
	duels, err := r.Duels()
	if err != nil {
		return p, err
	}
	return kernels.NewPace(duels, paced(start), paced(&c), r.Meta().Objective, r.Meta().Workloads), nil
}

func paced(c *kernels.Candidate) kernels.Paced {
	return kernels.Paced{ID: c.ID, Score: c.Score, Times: c.Result.Times}
}
