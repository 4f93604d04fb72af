package eval

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"darwarp/kernels"
)

// TestUrgentGoesFirst has somebody urgent come after two who wait for the gate already.
func TestUrgentGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Pool{slots: make(chan int, 2), first: make(chan int)}
		var order []string
		wait := func(who string, urgent bool) {
			go func() {
				slot, err := p.slot(t.Context(), urgent)
				if err != nil {
					t.Error(err)
				}
				order = append(order, who)
				time.Sleep(time.Second)
				p.free(slot)
			}()
			synctest.Wait()
		}
		wait("candidate 1", false)
		wait("candidate 2", false)
		wait("duel", true)
		p.free(0)
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(order) != 3 || order[0] != "duel" || len(p.slots) != 1 {
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
		if err != nil || len(c.Cubin) == 0 || len(c.expect(pool.cases.byLoad["4096"])) != bankSize || c.estimate["4096"] <= 0 || c.base["4096"] != 7 {
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
	if n := len(p.gated); n != mostGated || p.gated[n-1].id != (kernels.ID{3 * mostGated}) || p.gated[n-2].id != (kernels.ID{0}) {
		t.Errorf("%d kept: %v", n, p.gated)
	}
}
