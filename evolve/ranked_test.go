package evolve

import (
	"context"
	"testing"

	"darwarp/kernels"
)

// TestTiesDoNotFight: a duel wants half a percent, so candidates that are a little faster than the champion, and
// certain of it, do not ask for one, however many there are; who is further ahead does.
func TestTiesDoNotFight(t *testing.T) {
	for _, tt := range []struct {
		name  string
		ahead float64 // what a step of a gains
		duels bool
	}{
		{"a thousandth together", 0.0002, false},
		{"a percent each", 0.01, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ev := newFake(2, true)
			time := func(job *kernels.Job) float64 {
				a, _ := job.Variant.Genes["a"].Any().(int)
				return 1000 * (1 - tt.ahead*float64(a))
			}
			ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
				r, v := works(job), time(job)
				r.Times = timesOf(v, 2*v)
				return r, nil
			}
			ev.duel = func(_ context.Context, champion, challenger *kernels.Job) (kernels.Duel, error) {
				return duelOf(time(challenger) / time(champion)), nil
			}
			mustRun(t, toyConfig(t, "hills"), ev, &memory{})
			if got := ev.duels > 0; got != tt.duels {
				t.Errorf("%d duels", ev.duels)
			}
		})
	}
}
