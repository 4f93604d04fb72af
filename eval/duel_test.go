package eval

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/stats"
	"darwarp/kernels"
)

// TestUrgentGoesFirst has somebody urgent come after two who wait for the gate already.
func TestUrgentGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Pool{slotPool: slotPool{slots: make(chan int, 2), first: make(chan int)}}
		var order []string
		wait := func(ctx context.Context, who string, urgent bool) {
			go func() {
				slot, err := p.slot(ctx, urgent)
				if err != nil {
					t.Error(err)
				}
				order = append(order, who)
				time.Sleep(time.Second)
				p.free(slot)
			}()
			synctest.Wait()
		}
		wait(t.Context(), "candidate 1", false)
		wait(t.Context(), "candidate 2", false)
		wait(t.Context(), "challenger", true)
		wait(urgently(t.Context()), "champion", false) // gated again in a duel
		p.free(0)
		time.Sleep(time.Minute)
		synctest.Wait()
		if !slices.Equal(order, []string{"challenger", "champion", "candidate 1", "candidate 2"}) || len(p.slots) != 1 {
			t.Errorf("%q, %d slots free afterwards", order, len(p.slots))
		}
		ctx, cancel := context.WithCancel(t.Context())
		<-p.slots
		cancel()
		if _, err := p.slot(ctx, true); err == nil {
			t.Error("a slot out of nothing")
		}
	})
}

// A champion does not wait for the gate again, with which candidates may be busy for seconds: a challenger does.
func TestChampionStands(t *testing.T) {
	pool := fakePool(t)
	naive := fakeJob(t, pool, "slow")
	naive.Bar = nil
	if _, err := pool.Evaluate(t.Context(), naive); err != nil {
		t.Fatal(err)
	}
	good := fakeJob(t, pool, "good")
	if d, err := pool.Duel(t.Context(), naive, good); err != nil || d.Verdict != kernels.Faster {
		t.Fatalf("%+v, %v", d, err)
	}
	var held []int
	for range cap(pool.slots) {
		held = append(held, <-pool.slots)
	}
	for _, job := range []*kernels.Job{naive, good} {
		job.Base = map[string]float64{"4096": 7}
		c, err := pool.standing(t.Context(), job)
		if err != nil || len(c.Cubin) == 0 || len(c.expect(pool.cases.Banks["4096"])) != 8 ||
			c.estimate["4096"] <= 0 || c.base["4096"] != 7 {
			t.Errorf("%s: %v, %v, %v", job.ID.Short(), c.estimate, c.base, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := pool.ready(ctx, good); err == nil {
		t.Error("a challenger is gated while nobody is")
	}
	for _, slot := range held {
		pool.free(slot)
	}
}

// TestUnequalDuel: against a naive start whose calls take many times as long, a challenger wins within three pairs of
// either half. The naive start is gated on no more than before, the challenger on everything.
func TestUnequalDuel(t *testing.T) {
	pool := fakePool(t)
	naive, good := fakeJob(t, pool, "glacial"), fakeJob(t, pool, "good")
	naive.Bar, good.Bar = nil, nil
	if _, err := pool.Evaluate(t.Context(), naive); err != nil {
		t.Fatal(err)
	}
	d, err := pool.Duel(t.Context(), naive, good)
	if err != nil || d.Verdict != kernels.Faster || len(d.Rounds) != 2 {
		t.Fatalf("%+v, %v", d, err)
	}
	for _, r := range d.Rounds {
		if r.Pairs != 3 || r.Champion < 100e6 {
			t.Errorf("%+v", r)
		}
	}
	cheat := fakeJob(t, pool, "replays_scratch")
	if d, err := pool.Duel(t.Context(), naive, cheat); err != nil || d.Culprit != kernels.TheChallenger {
		t.Errorf("%+v, %v", d, err)
	}
	all := 0
	for _, c := range pool.cases.List {
		if !c.Trial || c.Workload != "" {
			all++
		}
	}
	for job, want := range map[*kernels.Job]int{naive: len(pool.cases.Gated()), good: all} {
		c, err := pool.standing(t.Context(), job)
		if err != nil || len(c.gate.right) != want {
			t.Errorf("%s: right on %d cases, expected %d; %v", job.ID.Short(), len(c.gate.right), want, err)
		}
	}
}

// TestSlowDuel: twenty pairs are enough between sides whose calls are slow, and twenty of the naive start against
// itself.
func TestSlowDuel(t *testing.T) {
	pool := fakePool(t)
	naive, good := fakeJob(t, pool, "glacial"), fakeJob(t, pool, "glacial_yet_faster")
	naive.Bar, good.Bar = nil, nil
	if _, err := pool.Evaluate(t.Context(), naive); err != nil {
		t.Fatal(err)
	}
	d, err := pool.Duel(t.Context(), naive, good)
	if err != nil || d.Verdict != kernels.Faster || len(d.Rounds) != 2 || d.Rounds[0].Pairs != 20 ||
		pool.noiseIsStale() {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestUnequal: only calls that are slow, and many times slower than the other's, are measured in fewer.
func TestUnequal(t *testing.T) {
	p := &Pool{cfg: Config{Problem: &kernels.Problem{}, Workloads: []kernels.Workload{{Name: "w"}}}}
	p.cases = &cases.Set{Banks: map[string][]int{"w": {0, 1, 2, 3, 4, 5, 6, 7}}, List: make([]device.Case, 8)}
	for i := range p.cases.List {
		p.cases.List[i].Buffers = []kernels.Buffer{{Name: "x", DType: kernels.FP32, Shape: []int{64}}}
	}
	for _, tt := range []struct {
		a, b    float64
		sets    int
		unequal bool
	}{
		{125e6, 1.5e6, 2, true},
		{1.5e6, 125e6, 2, true},
		{125e6, 40e6, 8, false}, // both are slow
		{1.8e6, 25e3, 8, false}, // neither is
		{125e6, 0, 8, false},    // nobody knows
	} {
		a, b := contestant{estimate: map[string]float64{"w": tt.a}}, contestant{estimate: map[string]float64{"w": tt.b}}
		a.Calls, b.Calls = make([]kernels.Call, 1), make([]kernels.Call, 1)
		steady, _ := p.pairing(a, b, 0, terms{cache: "hot"})
		fresh, _ := p.pairing(a, b, 0, terms{cache: "hot", fresh: true})
		if unequal := steady.Estimates != [2]float64{}; unequal != tt.unequal || len(fresh.Run.Cases) != tt.sets {
			t.Errorf("%g and %g: estimates %v, fresh on %d sets", tt.a, tt.b, steady.Estimates, len(fresh.Run.Cases))
		} else if unequal && (steady.RunOf(0).Estimate != tt.a || steady.RunOf(1).Estimate != tt.b) {
			t.Errorf("%g and %g: %+v", tt.a, tt.b, steady)
		}
	}
}

func TestFewAreKept(t *testing.T) {
	p := &Pool{}
	for i := range byte(3 * mostGated) {
		p.keep(kernels.ID{0}, contestant{}) // asked for again and again
		p.keep(kernels.ID{i + 1}, contestant{})
	}
	if n := len(p.gated); n != mostGated || p.gated[n-1].id != (kernels.ID{3 * mostGated}) ||
		p.gated[n-2].id != (kernels.ID{0}) {
		t.Errorf("%d kept: %v", n, p.gated)
	}
}

// TestOpenings: what is many times slower is over after three pairs, what is a fifth slower after ten, and the rest is
// not decided by openings.
func TestOpenings(t *testing.T) {
	repeated := func(r float64, n int) []float64 { return slices.Repeat([]float64{r}, n) }
	for _, tt := range []struct {
		name   string
		ratios []float64
		at     int // opening
		want   kernels.Verdict
	}{
		{"a hundredth of the time", repeated(0.01, 3), 0, kernels.Faster},
		{"three times the time", repeated(3, 3), 0, kernels.Slower},
		{"one of three is close", []float64{0.3, 0.6, 0.3}, 0, ""},
		{"a fifth faster, three pairs", repeated(0.8, 3), 0, ""},
		{"a fifth faster, ten pairs", repeated(0.8, 10), 1, kernels.Faster},
		{"one of ten turned", append(repeated(0.8, 9), 1.2), 1, ""},
		{"a tenth faster", repeated(0.9, 10), 1, ""},
	} {
		f := &fight{ratios: tt.ratios}
		if o := openings[tt.at]; len(tt.ratios) != o.pairs || f.landslide(o.lead) != tt.want {
			t.Errorf("%s: %q of %d pairs, expected %q of %d", tt.name, f.landslide(o.lead), len(tt.ratios), tt.want, o.pairs)
		}
	}
}

// TestLongFreshHalf: who is not told apart within some seconds is not told apart.
func TestLongFreshHalf(t *testing.T) {
	pool := fakePool(t)
	before := freshFor
	t.Cleanup(func() { freshFor = before })
	var sides []contestant
	for _, name := range []string{"good", "seen_a_little"} {
		c, err := pool.ready(t.Context(), fakeJob(t, pool, name))
		if err == nil {
			err = c.bank(t.Context(), c, pool.all())
		}
		if err != nil {
			t.Fatal(err)
		}
		sides = append(sides, c)
	}
	for limit, want := range map[time.Duration]int{0: stats.MinPairs, time.Hour: stats.MaxPairs} {
		freshFor = limit
		f, err := pool.fight(t.Context(), sides[0], sides[1], terms{cache: "hot", which: pool.all(), fresh: true},
			stats.MinPairs)
		if err != nil {
			t.Fatal(err)
		}
		if v, _, _, _ := f.Verdict(); v != kernels.Ambiguous || f.Pairs() != want {
			t.Errorf("%v: %s after %d pairs, expected %d", limit, v, f.Pairs(), want)
		}
	}
}
