package search

import (
	"context"
	"errors"
	"fmt"

	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/measure"
	"darwarp/cmd/darwarp/internal/registry"
	"darwarp/evolve"
	"darwarp/kernels"
)

// Execute searches and then measures what was found: the winner beside the baselines, and the portfolio that the
// options ask for, which is nil where there is none. Commands to stop end both, one after the other.
func (s *Search) Execute(stop *console.Interrupts, show Show) (sum evolve.Summary, best *kernels.Portfolio, err error) {
	rest, skip := context.WithCancel(stop.Soft) // what follows the search
	defer skip()
	s.skip = skip
	if sum, err = s.Drive(stop, show); err != nil {
		path := s.Run.Path()
		if errors.Is(err, evolve.ErrNoStart) {
			return sum, nil, fmt.Errorf("%w\n"+
				"%s has nothing to continue: repair the naive start, then start a new run", err, path)
		}
		return sum, nil, fmt.Errorf("%w\nwhat was found until then is in %s; continue with: darwarp search --resume %s",
			err, path, path)
	}
	s.sayEffort(sum)
	if sum.Reason == evolve.ReasonAborted {
		skip()
	}
	if err := s.measureWinner(rest, sum); err != nil {
		return sum, nil, err
	}
	if s.Options.Portfolio < 2 || rest.Err() != nil || sum.Champion.IsZero() {
		return sum, nil, nil
	}
	best, err = measure.Portfolio(rest, s.Session, s.Record(), s.Options.Portfolio, s.say)
	if rest.Err() != nil {
		err = nil
	}
	return sum, best, err
}

// measureWinner measures the winner again, where the device can and ctx has not ended; else the search's own times
// stay.
func (s *Search) measureWinner(ctx context.Context, sum evolve.Summary) error {
	fin := s.Session.Capabilities().Publisher
	if fin == nil || s.Options.NoBaseline || ctx.Err() != nil || sum.Champion.IsZero() {
		return measure.KeepNaive(s.Run)
	}
	s.listing.set(registry.Measuring, sum.Evals, sum.Score)
	server := serve(s.Run, afterwards(s.skip), s.say)
	defer server.close()
	err := measure.Final(ctx, fin, s.Session, s.Run, sum.Champion, s.say)
	if ctx.Err() != nil {
		return nil
	}
	return err
}
