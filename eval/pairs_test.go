package eval

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/stats"
	"darwarp/kernels"
)

func TestFreshSets(t *testing.T) {
	for _, c := range []struct {
		name string
		bank int
		ns   float64
		room int
		want int
	}{
		{"all of the bank", 8, 65e3, 0, 8},
		{"nothing known", 8, 0, 0, 8},
		{"slow: few", 8, 100e6, 0, 4},
		{"very slow: as few as there can be", 8, 5e9, 0, 2},
		{"as many as a slot holds", 8, 65e3, 5, 5},
		{"never fewer than two", 8, 65e3, 1, 2},
		{"a small bank", 2, 65e3, 0, 2},
	} {
		if got := freshSets(c.bank, c.ns, c.room); got != c.want {
			t.Errorf("%s: %d sets, expected %d", c.name, got, c.want)
		}
	}
}

func TestPairsAtOnce(t *testing.T) {
	for _, c := range []struct {
		name       string
		ns         float64
		need, room int
		want       int
	}{
		{"fast", 4e6, 100, 0, 20},
		{"a naive kernel's", 10e9, 100, 0, 3},
		{"slower than a request is to take", 100e9, 100, 0, 1},
		{"as a slot has room for", 4e6, 100, 550, 5},
		{"no room for one", 4e6, 100, 50, 1},
	} {
		if got := pairsAtOnce(20, c.ns, c.need, c.room); got != c.want {
			t.Errorf("%s: %d pairs, expected %d", c.name, got, c.want)
		}
	}
}

// TestGuilty: what a side of a duel does is its own, and nobody else's.
func TestGuilty(t *testing.T) {
	strays := &device.Strays{Where: "a", Bytes: 1}
	right, wrong := checker.JudgeReply{}, checker.JudgeReply{Wrong: "a[3] is 4"}
	for _, c := range []struct {
		name     string
		reply    device.DuelReply
		known    bool
		verdicts []checker.JudgeReply
		side     kernels.Side
		outcome  kernels.Outcome
	}{
		{"nobody", device.DuelReply{}, true, nil, "", 0},
		{"the champion strays", device.DuelReply{A: device.Side{Strays: strays}}, true, nil, kernels.TheChampion,
			kernels.Suspect},
		{"the challenger strays", device.DuelReply{B: device.Side{Strays: strays, Wrong: 1}}, true, nil,
			kernels.TheChallenger, kernels.Suspect},
		{"the challenger is wrong", device.DuelReply{B: device.Side{Wrong: 1}}, true, nil, kernels.TheChallenger,
			kernels.Wrong},
		{"both are judged right", device.DuelReply{}, false, []checker.JudgeReply{right, right}, "", 0},
		{"the champion is judged wrong", device.DuelReply{}, false, []checker.JudgeReply{wrong, right}, kernels.TheChampion,
			kernels.Wrong},
		{"the challenger is judged wrong", device.DuelReply{}, false, []checker.JudgeReply{right, wrong},
			kernels.TheChallenger, kernels.Wrong},
	} {
		err := guilty(&c.reply, c.verdicts, "w", c.known)
		var f *found
		if errors.As(err, &f) != (c.side != "") || f != nil && (f.side != c.side || f.outcome != c.outcome) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := guilty(&device.DuelReply{}, nil, "w", false); !errors.Is(err, kernels.ErrLost) {
		t.Errorf("outputs that nobody has judged: %v", err)
	}
}

// TestDied: the end of a worker is that side's fault whose turn it was, and nobody's where nobody knows.
func TestDied(t *testing.T) {
	for _, c := range []struct {
		err     error
		side    kernels.Side
		outcome kernels.Outcome
	}{
		{&lost{device.Turn("w", 0), false, errors.New("segfault")}, kernels.TheChampion, kernels.Crashed},
		{&lost{device.Turn("w", 1), true, errors.New("late")}, kernels.TheChallenger, kernels.TimedOut},
		{&lost{"load", false, errors.New("segfault")}, "", 0},
		{fmt.Errorf("%w: killed", kernels.ErrLost), "", 0},
	} {
		err := died(c.err)
		var f *found
		if errors.As(err, &f) != (c.side != "") || f != nil && (f.side != c.side || f.outcome != c.outcome) {
			t.Errorf("%v: %v", c.err, err)
		}
		if ours := errors.Is(c.err, kernels.ErrLost); ours == errors.Is(err, errFaulted) {
			t.Errorf("%v: %v", c.err, err)
		}
	}
}

// TestUnite: the challenger is faster only where it is in both halves, and a duel that the fresh half decides says so.
func TestUnite(t *testing.T) {
	steady := kernels.Duel{Verdict: kernels.Faster, Ratio: 0.8, Lo: 0.79, Hi: 0.81}
	for _, c := range []struct {
		fresh  kernels.Duel
		want   kernels.Verdict
		ratio  float64
		detail string
	}{
		{kernels.Duel{Verdict: kernels.Faster, Ratio: 0.9}, kernels.Faster, 0.8, ""},
		{kernels.Duel{Verdict: kernels.Slower, Ratio: 1.03}, kernels.Slower, 1.03,
			"faster only on inputs it has seen: 0.8000 of the champion's time steady, 1.0300 fresh"},
		{kernels.Duel{Verdict: kernels.Same, Ratio: 1}, kernels.Same, 1,
			"faster only on inputs it has seen: 0.8000 of the champion's time steady, 1.0000 fresh"},
		{kernels.Duel{Verdict: kernels.Ambiguous, Ratio: 0.99}, kernels.Ambiguous, 0.99,
			"faster, but not significantly on inputs it has not seen: 0.8000 of the champion's time steady, 0.9900 fresh"},
	} {
		if got := unite(steady, c.fresh); got.Verdict != c.want || got.Ratio != c.ratio || got.Detail != c.detail {
			t.Errorf("fresh %s: %+v", c.fresh.Verdict, got)
		}
	}
}

// repeating is a duel of fresh pairs whose calls take so many ns.
func repeating(champion, challenger []float64, fresh float64) *fight {
	f := &fight{Duel: stats.NewDuel([]float64{1}, 0, 1), repeat: [][2][]float64{{champion, challenger}}}
	for range 10 {
		f.Add(0, fresh, fresh)
	}
	return f
}

// TestKeepsAnswers: only a challenger whose repeated calls are faster by far than those of the champion and of the
// naive start, and than they should be.
func TestKeepsAnswers(t *testing.T) {
	for _, c := range []struct {
		name                        string
		naive, champion, challenger float64 // 0: not measured
		kind                        string
		want                        bool
		fresh                       float64 // ns a call; 0: so many that the slack is nothing
	}{
		{"valid", 1, 1, 0.99, "cuda", false, 0},
		{"of 4 us, whose code is fetched again", 1, 0.98, 0.91, "cuda", false, 4e3},
		{"of 4 us, stores half", 1, 0.98, 0.75, "cuda", true, 4e3},
		{"of 40 us, stores what differs", 1, 1, 0.91, "cuda", true, 40e3},
		{"replays", 1, 1, 0.3, "cuda", true, 0},
		{"stores what differs", 1, 1, 0.93, "cuda", true, 0},
		{"within the margin", 1, 1, 0.96, "cuda", false, 0},
		{"as the champion does", 1, 0.9, 0.88, "cuda", false, 0},
		{"as the naive start does", 0.9, 1, 0.88, "cuda", false, 0},
		{"below both", 0.9, 0.9, 0.8, "cuda", true, 0},
		{"slower is no sign", 1, 1.3, 1, "cuda", false, 0},
		{"not measured", 0, 1, 0, "cuda", false, 0},
		{"the naive start unknown", 0, 1, 0.7, "cuda", true, 0},
		{"emulated", 1, 1, 0.93, "cpu", false, 0},
		{"emulated, replays", 1, 1, 0.3, "cpu", true, 0},
	} {
		p := &Pool{cfg: Config{Workloads: []kernels.Workload{{Name: "w"}}}}
		p.repeats, p.device = map[string]float64{"w": c.naive}, kernels.Device{Kind: c.kind}
		ratios := func(r float64) (all []float64) {
			for i := range 20 {
				if r > 0 {
					all = append(all, r*(1+0.002*float64(i%5-2))) // of which an interval is a fifth of a percent
				}
			}
			return all
		}
		err := p.keepsAnswers(contestant{}, repeating(ratios(c.champion), ratios(c.challenger), cmp.Or(c.fresh, 1e9)),
			terms{which: []int{0}}, most)
		var f *found
		if errors.As(err, &f) != c.want || f != nil && (f.side != kernels.TheChallenger || f.outcome != kernels.Suspect) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	noisy := repeating(slices.Repeat([]float64{1}, 10), []float64{0.7, 1, 0.8, 1.1, 0.6, 0.7, 1, 0.8, 0.7, 0.6}, 1e9)
	p := &Pool{cfg: Config{Workloads: []kernels.Workload{{Name: "w"}}}}
	p.repeats = map[string]float64{}
	if t1, t2 := p.keepsAnswers(contestant{}, noisy, terms{which: []int{0}}, most),
		p.keepsAnswers(contestant{}, noisy, terms{which: []int{0}}, stats.Median); t1 != nil || t2 == nil {
		t.Errorf("ten noisy pairs: found out (%v), suspected (%v)", t1, t2)
	}
	if got := p.usualRepeat("w", true, 0.97); got != 0.97 || p.usualRepeat("w", false, 1) != 0.97 ||
		p.usualRepeat("other", false, 1) != 1 {
		t.Errorf("the naive start's ratio is %g and not remembered", got)
	}
}

func TestDoesLess(t *testing.T) {
	for _, c := range []struct {
		row, single, launch float64
		want                bool
	}{
		{10e3, 12e3, 4e3, false},
		{10e3, 24.1e3, 4e3, true},
		{10e3, 24.1e3, 0, true},
		{10e3, 19e3, 0, false},
		{500, 4.9e3, 4e3, false}, // a tiny kernel
		{2e3, 0, 4e3, false},     // unknown
		{2e3, math.NaN(), 4e3, false},
	} {
		if got := doesLess(c.row, c.single, c.launch); got != c.want {
			t.Errorf("%g in a row, %g alone: %v", c.row, c.single, got)
		}
	}
}

func TestSamplesAtOnce(t *testing.T) {
	buffers := func(n int) []kernels.Buffer {
		return []kernels.Buffer{{DType: kernels.FP32, Shape: []int{n}}, {DType: kernels.FP32, Shape: []int{n}, Out: true}}
	}
	const l2 = 50 << 20
	for _, c := range []struct {
		name  string
		n     int
		cache string
		want  int
	}{
		{"small", 1 << 10, "hot", 8},       // of both arenas
		{"beyond L2", 1 << 24, "hot", 16},  // 64 MiB, and one arena
		{"cold", 1 << 20, "cold", 16},      // one of 20 arenas
		{"half a slot", 1 << 28, "hot", 4}, // 1 GiB each
	} {
		s := &cases.Set{Atomics: true, List: []device.Case{{Workload: "w", Buffers: buffers(c.n)},
			{Workload: "w", Buffers: buffers(c.n)}}}
		if got := samplesAtOnce(s, device.Run{Cases: []int{0, 1}, Cache: c.cache}, l2); got != c.want {
			t.Errorf("%s: %d samples in a slot of %d bytes, expected %d", c.name, got, s.SlotBytes(), c.want)
		}
	}
}

// TestTwoSlots: who takes two slots leaves nobody waiting for ever, and gives back both.
func TestTwoSlots(t *testing.T) {
	p := &Pool{slotPool: slotPool{slots: make(chan int, 2), first: make(chan int)}}
	p.slots <- 0
	p.slots <- 1
	done := make(chan [2]int)
	for range 8 {
		go func() {
			slots, free, err := p.twoSlots(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			free()
			done <- slots
		}()
	}
	for range 8 {
		select {
		case slots := <-done:
			if slots[0] == slots[1] {
				t.Errorf("slots %v", slots)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("two of them wait for each other")
		}
	}
}

func TestExpect(t *testing.T) {
	c := contestant{hashes: map[int]uint64{3: 30, 4: 40}}
	if got := c.expect([]int{4, 3}); !slices.Equal(got, []uint64{40, 30}) || c.expect([]int{3, 5}) != nil {
		t.Errorf("hashes %v", got)
	}
}
