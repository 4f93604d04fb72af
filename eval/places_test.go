package eval

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"darwarp/eval/internal/ratio"
	"darwarp/eval/internal/rig"
	"darwarp/kernels"
)

func seats(n ...int) *places {
	s := &places{}
	for i, n := range n {
		s.all = append(s.all, &place{pool: newPool(&rig.Rig{Cfg: Config{Means: Means{GPU: i}}}), seats: n})
	}
	return s
}

// TestPlaces: a GPU is given to as many as it has seats for, home last, and those that wait get what is free first.
func TestPlaces(t *testing.T) {
	s := seats(2, 2)
	var got []int
	for range 4 {
		p, err := s.take(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p.pool.Cfg.GPU)
	}
	if want := [4]int{1, 0, 1, 0}; [4]int(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
	waits, cancel := context.WithCancel(t.Context())
	came, gave := make(chan *place), make(chan error)
	ask := func(ctx context.Context) {
		p, err := s.take(ctx, nil)
		if err != nil {
			gave <- err
			return
		}
		came <- p
	}
	go ask(waits)
	for len(s.waiting()) < 1 {
		time.Sleep(time.Millisecond)
	}
	go ask(t.Context())
	for len(s.waiting()) < 2 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-gave; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	s.leave(s.all[0])
	if p := <-came; p != s.all[0] {
		t.Errorf("got %s", p.name())
	}
	if p, err := s.take(t.Context(), s.all[0]); err != nil || p != s.all[0] || p.taken != 3 {
		t.Errorf("whoever names a GPU waits there: %v, %v", p, err)
	}
}

func (s *places) waiting() []chan *place {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.line
}

// TestPlacesOutOfService: nobody gets a GPU that rests or is left out; the last one cannot be left out.
func TestPlacesOutOfService(t *testing.T) {
	s := seats(9, 9, 9)
	take := func(want int) {
		t.Helper()
		p, err := s.take(t.Context(), nil)
		if err != nil || p.pool.Cfg.GPU != want {
			t.Errorf("%v, %v: want GPU %d", p, err, want)
		}
		s.leave(p)
	}
	take(2)
	if !s.rest(s.all[2]) || s.rest(s.all[2]) {
		t.Error("only the first that notices sees to it")
	}
	take(1)
	s.resume(s.all[2])
	take(2)
	if !s.leaveOut(s.all[2], "x") || s.aside() != s.all[1] {
		t.Error("GPU 2 is not left out")
	}
	take(1)
	if !s.leaveOut(s.all[0], "y") || s.home() != s.all[1] || len(s.in()) != 1 {
		t.Error("GPU 0 is not left out")
	}
	take(1)
	if s.leaveOut(s.all[1], "z") || s.all[1].out != "" {
		t.Error("the last one is left out")
	}
	if p, err := s.take(t.Context(), s.all[0]); err != nil || p != s.all[1] {
		t.Errorf("one that is left out is given away: %v, %v", p, err)
	}
}

// TestRatios compares times on two GPUs with a third, the first, which is not there any more.
func TestRatios(t *testing.T) {
	s := seats(1, 1, 1)
	time := func(ns, half float64) []kernels.Timing {
		return []kernels.Timing{{Workload: "w", Median: ns, Lo: ns - half, Hi: ns + half}}
	}
	if err := s.compare(s.all[0], s.all[1], time(100, 3), time(125, 5)); err != nil {
		t.Fatal(err)
	}
	if err := s.compare(s.all[1], s.all[2], time(125, 0), time(100, 0)); err != nil {
		t.Fatal(err)
	}
	for gpu, want := range []ratio.Ratio{{Of: 1}, {Of: 0.8, Spread: 0.05}, {Of: 1, Spread: 0.05}} {
		if got := s.table(s.all[gpu]).At("w"); math.Abs(got.Of-want.Of) > 1e-9 || math.Abs(got.Spread-want.Spread) > 1e-9 {
			t.Errorf("GPU %d: %+v, want %+v", gpu, got, want)
		}
	}
	scaled := time(125, 5)
	s.scale(s.all[1], scaled)
	off := 100 * math.Hypot(0.04, 0.05)
	if w := scaled[0]; !near(w.Median, 100) || !near(w.Lo, 100-off) || !near(w.Hi, 100+off) || !near(w.Scale, 0.8) {
		t.Errorf("%+v", w)
	}
	for _, bad := range [][]kernels.Timing{time(1000, 0), time(10, 0), time(125, 126), nil} {
		if s.compare(s.all[0], s.all[1], time(100, 1), bad) == nil {
			t.Errorf("%+v is believed", bad)
		}
	}
	if got := s.table(s.all[1]).At("w"); !near(got.Of, 0.8) {
		t.Errorf("what was known is %+v now", got)
	}
}
