package search

import (
	"darwarp/cmd/darwarp/internal/console"
	"darwarp/cmd/darwarp/internal/record"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
	"darwarp/store"
)

// Challenge goes on with a run for as long as it takes what explain found faster than the champion, and what the last
// session left in flight, to be judged and dueled; no other candidate is begun. A new champion has its whole trial.
func Challenge(x *session.Session, r *record.Record, stop *console.Interrupts, show Show,
	say func(string, ...any)) (evolve.Summary, error) {
	m := r.Meta()
	s := &Search{Session: x, Run: r.Run, say: say, Options: Options{
		Strategy: m.Strategy, Seed: m.Seed, Portfolio: m.Portfolio,
		Budget: store.Budget{Evals: 1}, // which the naive start has used up
	}}
	if err := startFrom(x, r.Run); err != nil {
		return evolve.Summary{}, err
	}
	if err := remember(x.Evaluator, r.Run); err != nil {
		return evolve.Summary{}, err
	}
	return s.Drive(stop, show)
}
