package eval

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

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
			err = c.bank(t.Context(), pool.all())
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
