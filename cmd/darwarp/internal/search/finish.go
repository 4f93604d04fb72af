package search

import (
	"context"
	"errors"
	"fmt"
	"time"

	"darwarp/cmd/darwarp/internal/cmdline"
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/measure"
	"darwarp/cmd/darwarp/internal/registry"
	"darwarp/cmd/darwarp/internal/report"
	"darwarp/evolve"
	"darwarp/kernels"
)

// Execute searches and then measures what was found: the winner beside the baselines, and the portfolio that the
// options ask for, which is nil where there is none. Commands to stop end both, one after the other.
func (s *Search) Execute(stop *console.Interrupts, show Show) (sum evolve.Summary, best *kernels.Portfolio, err error) {
	rest, skip := context.WithCancel(stop.Soft) // what follows the search
	defer skip()
	s.skip = skip
	s.islands.begin(stop)
	defer s.islands.wait()
	stopAhead := s.lookAhead()
	sum, err = s.Drive(stop, show)
	stopAhead()
	if s.islands.firstEnded(sum.Reason); err != nil {
		path := s.Run.Path()
		if errors.Is(err, evolve.ErrNoStart) {
			return sum, nil, fmt.Errorf("%w\n"+
				"%s has nothing to continue: repair the naive start, then start a new run", err, path)
		}
		return sum, nil, fmt.Errorf("%w\nwhat was found until then is in %s; continue with: %s",
			err, path, cmdline.Of("search", "--resume", path))
	}
	if s.idle(sum) {
		return sum, nil, spent(s.Run.Path(), s.Options.Budget, sum)
	}
	s.sayEffort(sum)
	if sum.Reason == evolve.ReasonAborted {
		skip()
	}
	if err := s.measureWinner(rest, sum); err != nil {
		return sum, nil, err
	}
	if sum, err = s.told(sum); err != nil {
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

// told is a summary with the champion's speedup as the run tells it now.
func (s *Search) told(sum evolve.Summary) (evolve.Summary, error) {
	pace, err := s.Run.Pace()
	sum.Speedup, sum.Estimate = pace.Speedup(sum.Score), pace.Estimate
	s.ended = sum
	return sum, err
}

// measureWinner measures the winner again, where the device can and ctx has not ended; else the search's own times
// stay.
func (s *Search) measureWinner(ctx context.Context, sum evolve.Summary) error {
	fin := s.Session.Capabilities().Publisher
	if fin == nil || !s.Options.measures() || ctx.Err() != nil || sum.Champion.IsZero() {
		return measure.KeepNaive(s.Run)
	}
	s.listing.entry.Stand(sum.Evals, sum.Score, sum.Speedup, sum.Estimate)
	s.listing.set(registry.Measuring)
	server := serve(s.Run, afterwards(s.skip), s.say)
	defer server.close()
	return within(ctx, finalFor(len(s.Session.Workloads)), s.say, func(ctx context.Context) error {
		end := measure.End{Session: s.Session, Publisher: fin, Run: s.Run, Baselines: s.Options.Baselines, Say: s.say,
			Watch: s.Options.Watch}
		return end.Final(ctx, sum.Champion)
	})
}

// within measures for at most so long. What has been measured by then is stored; that time or patience ended is no
// error.
func within(ctx context.Context, most time.Duration, say func(string, ...any),
	measure func(context.Context) error) error {
	ctx, end := context.WithTimeout(ctx, most)
	defer end()
	err := measure(ctx)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		say("the measurement at the end took longer than %s: what is missing is not compared", report.Duration(most))
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// aheadOf is how long before a search's end the measurement begins what needs no device: to import torch takes seconds,
// and several hundred megabytes from then on.
const aheadOf = 30 * time.Second

// lookAhead has the measurement at the end begin that in time.
func (s *Search) lookAhead() (stop func()) {
	begin := s.Session.Capabilities().Ahead
	if begin == nil || !s.Options.measures() {
		return func() {}
	}
	spent, _ := elapsedOf(s.Run) // in sessions before
	timer := time.AfterFunc(aheadIn(s.Options.Budget.For, spent), func() { begin(s.Options.Baselines) })
	return func() { timer.Stop() }
}

// aheadIn is how long a search that takes so long, of which some is spent, waits with that. One that is bounded by
// evaluations only (0) does not know when it ends.
func aheadIn(all, spent time.Duration) time.Duration { return max(0, all-spent-aheadOf) }

// finalFor bounds the measurement at the end: a baseline that compiles first takes up to a minute for a workload, and
// all others seconds.
func finalFor(workloads int) time.Duration {
	return time.Minute + time.Duration(workloads)*2*time.Minute
}

// Afterwards says what follows the search and how long it takes at most; empty where nothing does.
func (s *Search) Afterwards() string {
	if s.Session.Capabilities().Publisher == nil || !s.Options.measures() {
		return ""
	}
	return fmt.Sprintf("the winner is measured again, beside the baselines, for at most %s (--no-baseline: not)",
		report.Duration(finalFor(len(s.Session.Workloads))))
}
