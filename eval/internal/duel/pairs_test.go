package duel

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/rig"
	"darwarp/eval/internal/runner"
	"darwarp/eval/internal/stats"
	"darwarp/eval/internal/verdict"
	"darwarp/kernels"
)

func TestFreshSets(t *testing.T) {
	for _, c := range []struct {
		name        string
		bank, bytes int
		ns          float64
		room        int
		want        int
	}{
		{"all of the bank", 8, 1 << 20, 65e3, 0, 8},
		{"nothing known", 8, 0, 0, 0, 8},
		{"slow: few", 8, 1 << 20, 100e6, 0, 4},
		{"very slow: as few as there can be", 8, 1 << 20, 5e9, 0, 2},
		{"as many as a slot holds", 8, 1 << 20, 65e3, 5, 5},
		{"never fewer than two", 8, 1 << 20, 65e3, 1, 2},
		{"a small bank", 2, 1 << 20, 65e3, 0, 2},
		{"large", 8, 1 << 30, 65e3, 0, 8},
		{"larger", 8, 2 << 30, 2e6, 0, 4},
		{"huge", 6, 9 << 30, 2e6, 0, 2},
		{"huge, and one slot", 6, 17 << 30, 2e6, 1, 2},
		{"huge, and a bank of one", 1, 17 << 30, 2e6, 0, 1},
	} {
		if got := freshSets(c.bank, c.bytes, c.ns, c.room); got != c.want {
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
		err := Guilty(&c.reply, c.verdicts, "w", c.known)
		var f *verdict.Found
		if errors.As(err, &f) != (c.side != "") || f != nil && (f.Side != c.side || f.Outcome != c.outcome) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := Guilty(&device.DuelReply{}, nil, "w", false); !errors.Is(err, kernels.ErrLost) {
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
		{&runner.Lost{Phase: device.Turn("w", 0), Err: errors.New("segfault")},
			kernels.TheChampion, kernels.Crashed},
		{&runner.Lost{Phase: device.Turn("w", 1), Timeout: true, Err: errors.New("late")},
			kernels.TheChallenger, kernels.TimedOut},
		{&runner.Lost{Phase: "load", Err: errors.New("segfault")}, "", 0},
		{fmt.Errorf("%w: killed", kernels.ErrLost), "", 0},
	} {
		err := died(c.err)
		var f *verdict.Found
		if errors.As(err, &f) != (c.side != "") || f != nil && (f.Side != c.side || f.Outcome != c.outcome) {
			t.Errorf("%v: %v", c.err, err)
		}
		if ours := errors.Is(c.err, kernels.ErrLost); ours == errors.Is(err, verdict.ErrFaulted) {
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
		{kernels.Duel{Verdict: kernels.Ambiguous, Ratio: 1, Rounds: []kernels.DuelRound{{Cache: kernels.FreshRound}}},
			kernels.Ambiguous, 1, "faster, 0.8000 of the champion's time steady, but on inputs it has not seen " +
				"the machine stayed too noisy for one pair"},
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
		p := New(verdict.NewSession(&rig.Rig{Cfg: rig.Config{Workloads: []kernels.Workload{{Name: "w"}}}}))
		p.repeats, p.Device = map[string]float64{"w": c.naive}, kernels.Device{Kind: c.kind}
		ratios := func(r float64) (all []float64) {
			for i := range 20 {
				if r > 0 {
					all = append(all, r*(1+0.002*float64(i%5-2))) // of which an interval is a fifth of a percent
				}
			}
			return all
		}
		err := p.keepsAnswers(verdict.Contestant{}, repeating(ratios(c.champion), ratios(c.challenger), cmp.Or(c.fresh, 1e9)),
			terms{which: []int{0}}, most)
		var f *verdict.Found
		if errors.As(err, &f) != c.want || f != nil && (f.Side != kernels.TheChallenger || f.Outcome != kernels.Suspect) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	noisy := repeating(slices.Repeat([]float64{1}, 10), []float64{0.7, 1, 0.8, 1.1, 0.6, 0.7, 1, 0.8, 0.7, 0.6}, 1e9)
	p := New(verdict.NewSession(&rig.Rig{Cfg: rig.Config{Workloads: []kernels.Workload{{Name: "w"}}}}))
	if t1, t2 := p.keepsAnswers(verdict.Contestant{}, noisy, terms{which: []int{0}}, most),
		p.keepsAnswers(verdict.Contestant{}, noisy, terms{which: []int{0}}, stats.Median); t1 != nil || t2 == nil {
		t.Errorf("ten noisy pairs: found out (%v), suspected (%v)", t1, t2)
	}
	if got := p.usualRepeat("w", true, 0.97); got != 0.97 || p.usualRepeat("w", false, 1) != 0.97 ||
		p.usualRepeat("other", false, 1) != 1 {
		t.Errorf("the naive start's ratio is %g and not remembered", got)
	}
}

// TestUnequal: only calls that are slow, and many times slower than the other's, are measured in fewer.
func TestUnequal(t *testing.T) {
	p := New(verdict.NewSession(&rig.Rig{Cfg: rig.Config{Problem: &kernels.Problem{},
		Workloads: []kernels.Workload{{Name: "w"}}}}))
	p.Cases = &cases.Set{Banks: map[string][]int{"w": {0, 1, 2, 3, 4, 5, 6, 7}}, List: make([]device.Case, 8)}
	for i := range p.Cases.List {
		p.Cases.List[i].Buffers = []kernels.Buffer{{Name: "x", DType: kernels.FP32, Shape: []int{64}}}
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
		{5e6, 2.1e6, 8, false},  // long, and not slow
	} {
		a := verdict.Contestant{Estimate: map[string]float64{"w": tt.a}}
		b := verdict.Contestant{Estimate: map[string]float64{"w": tt.b}}
		a.Calls, b.Calls = make([]kernels.Call, 1), make([]kernels.Call, 1)
		steady, _ := p.pairing(a, b, 0, terms{cache: "hot"})
		fresh, _ := p.pairing(a, b, 0, terms{cache: "hot", fresh: true})
		if long := [2]bool{tt.a > 2e6, tt.b > 2e6}; steady.Long != long || fresh.Long != long {
			t.Errorf("%g and %g: long: %v and %v", tt.a, tt.b, steady.Long, fresh.Long)
		}
		if unequal := steady.Estimates != [2]float64{}; unequal != tt.unequal || len(fresh.Run.Cases) != tt.sets {
			t.Errorf("%g and %g: estimates %v, fresh on %d sets", tt.a, tt.b, steady.Estimates, len(fresh.Run.Cases))
		} else if unequal && (steady.RunOf(0).Estimate != tt.a || steady.RunOf(1).Estimate != tt.b) {
			t.Errorf("%g and %g: %+v", tt.a, tt.b, steady)
		}
	}
}

// TestPreparingTakesFewer: where weights are packed for long, samples are of fewer sets, requests of fewer pairs, and
// deadlines later.
func TestPreparingTakesFewer(t *testing.T) {
	p := New(verdict.NewSession(&rig.Rig{Cfg: rig.Config{Problem: &kernels.Problem{},
		Workloads: []kernels.Workload{{Name: "w"}}}}))
	p.Cases = &cases.Set{Banks: map[string][]int{"w": {0, 1, 2, 3, 4, 5, 6, 7}}, List: make([]device.Case, 8)}
	for i := range p.Cases.List {
		p.Cases.List[i].Buffers = []kernels.Buffer{{Name: "x", DType: kernels.FP32, Shape: []int{64}}}
	}
	for _, tt := range []struct {
		prepared    float64
		sets, pairs int
		deadline    time.Duration // at least
	}{
		{0, 8, 20, 20 * time.Second},
		{10e3, 8, 20, 20 * time.Second},
		{100e6, 3, 20, 40 * time.Second},
		{500e6, 2, 7, 60 * time.Second},
	} {
		e := &verdict.Evaluation{Session: p.Session, Right: map[int]device.CaseReply{1: {Prepared: tt.prepared}}}
		slow := verdict.Contestant{Gate: e, Estimate: map[string]float64{"w": 20e3}}
		slow.Calls = make([]kernels.Call, 1)
		other := verdict.Contestant{Estimate: slow.Estimate}
		other.Calls = slow.Calls
		for _, sides := range [][2]verdict.Contestant{{slow, other}, {other, slow}, {slow, slow}} {
			req, pairs := p.pairing(sides[0], sides[1], 0, terms{cache: "hot", fresh: true, unseen: true})
			req.Pairs = pairs
			if req.Run.Fresh != tt.sets || pairs != tt.pairs || p.PairsDeadline(&req, 20e3) < tt.deadline {
				t.Errorf("prepared for %g: %d sets, %d pairs in %v", tt.prepared, req.Run.Fresh, pairs,
					p.PairsDeadline(&req, 20e3))
			}
		}
	}
}

// TestOpenings: what is many times slower is over after three pairs, what is half as fast again after seven, a fifth
// slower after ten, and the rest is not decided by openings.
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
		{"nearly half of the time, three pairs", repeated(0.53, 3), 0, ""},
		{"nearly half of the time, four pairs", repeated(0.53, 4), 1, kernels.Faster},
		{"one of four is not", []float64{0.53, 0.53, 0.56, 0.53}, 1, ""},
		{"seven tenths of the time", repeated(0.7, 7), 2, kernels.Faster},
		{"one of seven is close", append(repeated(0.7, 6), 0.8), 2, ""},
		{"a fifth faster, three pairs", repeated(0.8, 3), 0, ""},
		{"a fifth faster, ten pairs", repeated(0.8, 10), 3, kernels.Faster},
		{"one of ten turned", append(repeated(0.8, 9), 1.2), 3, ""},
		{"a tenth faster", repeated(0.9, 10), 3, ""},
	} {
		f := &fight{ratios: tt.ratios}
		if o := openings[tt.at]; len(tt.ratios) != o.pairs || f.landslide(o.lead) != tt.want {
			t.Errorf("%s: %q of %d pairs, expected %q of %d", tt.name, f.landslide(o.lead), len(tt.ratios), tt.want, o.pairs)
		}
	}
}

// TestOpeningsAreRare: of two kernels that are equal the openings hardly ever crown one, whatever the noise, and
// at most half as often again as three pairs and ten others on their own.
func TestOpeningsAreRare(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, noise := range []struct {
		name string
		draw func() float64 // of the logarithm of a ratio
		most float64        // share of fights that are won
	}{
		{"a fifth", func() float64 { return 0.2 * rng.NormFloat64() }, 1e-5},
		{"a third", func() float64 { return 0.33 * rng.NormFloat64() }, 1e-4},
		{"half", func() float64 { return 0.5 * rng.NormFloat64() }, 2e-3},
		{"one pair in five by a factor", func() float64 {
			if rng.IntN(5) > 0 {
				return 0.02 * rng.NormFloat64()
			}
			return 2 * rng.NormFloat64()
		}, 1e-3},
	} {
		const fights = 500_000
		won, before := 0, 0
		for range fights {
			f := &fight{}
			for range openings[len(openings)-1].pairs {
				f.ratios = append(f.ratios, math.Exp(noise.draw()))
			}
			wins := func(o opening) bool {
				return (&fight{ratios: f.ratios[:o.pairs]}).landslide(o.lead) == kernels.Faster
			}
			if slices.ContainsFunc(openings, wins) {
				won++
			}
			if wins(opening{3, 0.5}) || wins(opening{10, 0.15}) {
				before++
			}
		}
		if float64(won) > noise.most*fights || float64(won) > 1.5*float64(before)+10 {
			t.Errorf("noise of %s: %d of %d fights with itself are won, %d by three pairs or ten", noise.name, won, fights,
				before)
		}
	}
}

// TestThroughAStorm: where no block is calm, a side that takes half of the time wins in spite of a pair in ten; what is
// closer, or was measured too few times, does not.
func TestThroughAStorm(t *testing.T) {
	repeated := func(r float64, n int) []float64 { return slices.Repeat([]float64{r}, n) }
	for _, tt := range []struct {
		name   string
		ratios []float64
		want   kernels.Verdict
	}{
		{"a tenth of the time", repeated(0.1, 20), kernels.Faster},
		{"two pairs that others disturbed", append(repeated(0.1, 18), 3, 1.5), kernels.Faster},
		{"three", append(repeated(0.1, 17), 3, 1.5, 1.1), ""},
		{"three times the time", append(repeated(3, 18), 0.9, 0.9), kernels.Slower},
		{"not twice the time", repeated(1.9, 20), ""},
		{"a third faster", repeated(0.67, 20), ""},
		{"too few", repeated(0.1, 19), ""},
		{"two workloads, one disturbed", append(repeated(0.1, 36), repeated(2, 4)...), kernels.Faster},
	} {
		if got := (&fight{ratios: tt.ratios}).almostAll(stormLead); got != tt.want {
			t.Errorf("%s: %q, expected %q", tt.name, got, tt.want)
		}
	}
}
