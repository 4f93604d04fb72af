package view

import (
	"context"
	"errors"
	"time"

	"darwarp/evolve"
	"darwarp/kernels"
	"darwarp/store"
)

// finalEvery is how often a run that has ended is asked whether its champion was measured again.
const finalEvery = 3 * time.Second

// awaitFinal gives the event of a final measurement, which follows the last event of a search and which its socket does
// not tell. look gives how the run tells speedups now, and whether nobody writes it any more. ok is false where there
// will be none.
func awaitFinal(ctx context.Context, last evolve.Event, every <-chan time.Time,
	look func() (pace kernels.Pace, over bool)) (e evolve.Event, ok bool) {
	if last.Kind != evolve.KindEnd || last.Summary == nil || !last.Summary.Estimate || last.Summary.Champion.IsZero() {
		return e, false
	}
	for {
		select {
		case <-every:
		case <-ctx.Done():
			return e, false
		}
		pace, over := look()
		if pace.Factor > 0 && !pace.Estimate {
			sum := *last.Summary
			sum.Speedup, sum.Estimate = pace.Speedup(sum.Score), false
			e = last
			e.Kind, e.Note, e.Summary, e.Speedup, e.Estimate = evolve.KindFinal, "", &sum, pace.Speedup(e.Reign), false
			return e, true
		}
		if over {
			return e, false
		}
	}
}

// lookAt looks at a run's file, or asks whoever writes it.
func lookAt(ctx context.Context, path string) (pace kernels.Pace, over bool) {
	_, asked := store.AskStatus(ctx, path)
	r, err := store.View(path)
	if err != nil { // between the search and what follows it nobody answers
		return pace, false
	}
	pace, err = r.Pace()
	err = errors.Join(err, r.Close())
	if err != nil {
		pace = kernels.Pace{}
	}
	return pace, errors.Is(asked, store.ErrNotServed)
}
