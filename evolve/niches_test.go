package evolve

import (
	"context"
	"maps"
	"math"
	"sync"
	"testing"

	"darwarp/kernels"
)

// opposed is a landscape whose two shapes want opposite ends of a: 8 and 1. In the geometric mean, where
// large counts three times, only its end is worth breeding from.
func opposed(g kernels.Genome) (small, large float64) {
	a, _ := g["a"].Any().(int)
	b, _ := g["b"].Any().(int)
	rest := 10*math.Abs(float64(b)-4) + map[string]float64{"x": 60, "y": 45, "z": 0}[g["c"].String()]
	return 100 + 60*float64(8-a) + rest, 100 + 60*float64(a-1) + rest
}

// nearSmall runs searches and counts the evaluations near the optimum of the shape that counts less.
func nearSmall(t *testing.T, portfolio int) (near int, last kernels.Job) {
	t.Helper()
	for seed := range uint64(6) {
		ev := newFake(1, true)
		ev.answer = func(_ context.Context, job *kernels.Job) (kernels.Result, error) {
			s, l := opposed(job.Variant.Genes)
			return kernels.Result{Outcome: kernels.OK, Code: job.ID.String(), Times: timesOf(s, l), Cost: kernels.Cost{Time: 1}},
				nil
		}
		cfg := toyConfig(t, "hills")
		cfg.Seed, cfg.Portfolio, cfg.Budget = seed, portfolio, Budget{Evals: 120}
		s, err := New(cfg, ev, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		for _, j := range ev.jobs {
			if small, _ := opposed(j.Variant.Genes); small < 150 {
				near++
			}
			last = j
		}
	}
	return near, last
}

// TestNiches holds a search that is to end with two kernels against one that is to end with one: the region
// that the mean does not want is searched all the same.
func TestNiches(t *testing.T) {
	alone, plain := nearSmall(t, 0)
	two, job := nearSmall(t, 2)
	if two < 2*alone {
		t.Errorf("%d evaluations near the optimum of the small shape with two kernels, %d with one: expected twice as many",
			two, alone)
	}
	if bar := job.Bar.Times(); plain.Each || !job.Each || len(bar) != 2 || bar["small"] > 150 || bar["large"] > 150 {
		t.Errorf("bar %v, each %v: expected the best times of each shape", bar, job.Each)
	}
}

// TestBarOfAClaimer: who is far ahead of the champion sets the bar while it is not champion yet.
func TestBarOfAClaimer(t *testing.T) {
	ev, cfg := newTrialFake(2), toyConfig(t, "hills")
	cfg.Budget.Evals = 20
	start := cfg.Spaces[0].Family.Defaults()
	ev.claims = func(g kernels.Genome) float64 {
		if maps.Equal(g, start) {
			return 1000
		}
		return 300
	}
	seen, once := make(chan struct{}), sync.Once{}
	answer := ev.fake.answer
	ev.fake.answer = func(ctx context.Context, job *kernels.Job) (kernels.Result, error) {
		if bar := job.Bar.Times()["small"]; bar > 0 && bar < 500 {
			once.Do(func() { close(seen) })
		}
		return answer(ctx, job)
	}
	fight := ev.fake.duel
	ev.fake.duel = func(ctx context.Context, a, b *kernels.Job) (kernels.Duel, error) {
		<-seen // or it hangs here
		return fight(ctx, a, b)
	}
	if sum, err := mustSearch(t, cfg, ev, &memory{}).Run(context.Background(), nil); err != nil || sum.Score > 0.5 {
		t.Errorf("%v, %+v", err, sum)
	}
}

func TestBars(t *testing.T) {
	for _, c := range []struct {
		o    kernels.Objective
		want map[string]float64
	}{
		{kernels.Geomean, map[string]float64{"small": 50, "large": 150}},
		{kernels.Worst, map[string]float64{"small": 75, "large": 150}},
		{"small", map[string]float64{"small": 50}},
	} {
		cfg := toyConfig(t, "hills")
		cfg.Objective = c.o
		s, err := New(cfg, newFake(1, true), nil)
		if err != nil {
			t.Fatal(err)
		}
		s.pop.scale.base = map[string]float64{"small": 100, "large": 200}
		s.championship.holder = &member{times: map[string]float64{"small": 50, "large": 150}, score: 0.75} // by its worst
		var job kernels.Job
		s.championship.setBar(&job, s.pop)
		if bar := job.Bar.Times(); !maps.Equal(bar, c.want) || job.Each {
			t.Errorf("%s: %v, expected %v", c.o, bar, c.want)
		}
		s.championship.holder.times, s.championship.holder.score = map[string]float64{"small": 25, "large": 100}, 0.5
		s.championship.setBar(&kernels.Job{}, s.pop)
		if bar := job.Bar.Times(); bar["small"] >= c.want["small"] || bar["large"] > c.want["large"] {
			t.Errorf("%s: %v for a job on its way once there is a faster champion, expected less than %v", c.o, bar, c.want)
		}
	}
	cfg := toyConfig(t, "hills")
	cfg.Objective = "nosuch"
	if _, err := New(cfg, newFake(1, true), nil); err == nil {
		t.Error("an unknown objective was taken")
	}
}
