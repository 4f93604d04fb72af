package mutate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/kernels"
)

func TestForestLearns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	truth := func(r []uint8) float64 { return float64(r[0]) + 5*float64(r[1]%2) }
	var s sample
	for range 300 {
		r := []uint8{uint8(rng.IntN(16)), uint8(rng.IntN(2)), uint8(rng.IntN(9))}
		s.rows, s.y = append(s.rows, r), append(s.y, truth(r))
	}
	f := grow(rng, s)
	wrong, blind := 0.0, 0.0
	for range 200 {
		r := []uint8{uint8(rng.IntN(16)), uint8(rng.IntN(2)), uint8(rng.IntN(9))}
		means, deviations := f.predict([][]uint8{r})
		mean, deviation := means[0], deviations[0]
		wrong += math.Abs(mean - truth(r))
		blind += math.Abs(10 - truth(r))
		if !(deviation > 0) {
			t.Fatalf("deviation %g", deviation)
		}
	}
	if wrong > 0.25*blind {
		t.Errorf("mean error %.2f, without a model %.2f", wrong/200, blind/200)
	}
}

func TestForestDoubtsNoise(t *testing.T) {
	deviation := func(noise float64) float64 {
		var s sample
		for i := range 64 {
			s.rows, s.y, s.noise = append(s.rows, []uint8{uint8(i)}), append(s.y, float64(i/32)), append(s.noise, noise)
		}
		_, d := grow(rand.New(rand.NewPCG(3, 4)), s).predict([][]uint8{{10}})
		return d[0]
	}
	if calm, loud := deviation(0), deviation(1); loud < 1.3*calm {
		t.Errorf("deviation %g without noise, %g with", calm, loud)
	}
}

// TestFailuresAreNoHugeCosts: however many fail, the scale of those that work stays.
func TestFailuresAreNoHugeCosts(t *testing.T) {
	seen := []*Individual{{Score: 1}, {Score: 0.5}, {Score: 0.8}, {Score: math.Inf(1)}, {Score: 2}}
	y, best := targets(seen)
	if best != slices.Min(y) || y[1] != best || y[3] > slices.Max(y) || math.IsNaN(y[3]) || y[3] < y[0] {
		t.Errorf("targets %v, best %g", y, best)
	}
}

func TestSurrogatePrefersGoodAndCheap(t *testing.T) {
	s := toySpace(t)
	p, rng := pool(s, 40), rand.New(rand.NewPCG(15, 16))
	prefersGood(t, s, p, rng, Surrogate{})
	dear := func(pt kernels.Point) bool { return pt[0] >= 2 }
	for _, o := range p.Seen {
		o.Cost = 1
		if dear(o.Point) {
			o.Cost = 1000
		}
	}
	share := func(hurry bool) int {
		p.Hurry = hurry
		n := 0
		for range 100 {
			if e, ok := (Surrogate{}).Propose(rng, p); ok && dear(s.At(e.Index)) {
				n++
			}
		}
		return n
	}
	if calm, hurry := share(false), share(true); hurry > calm/2 {
		t.Errorf("%d of 100 proposals are dear, %d when time is short", calm, hurry)
	}
}

func TestPendingPointsAreAvoided(t *testing.T) {
	s := toySpace(t)
	p, rng := pool(s, 40), rand.New(rand.NewPCG(15, 16))
	first, ok := Surrogate{}.Propose(rng, p)
	if !ok {
		t.Fatal("nothing proposed")
	}
	known := p.Known
	p.Known, p.Pending = func(i int) bool { return i == first.Index || known(i) }, []int{first.Index}
	if e, ok := (Surrogate{}).Propose(rng, p); !ok || e.Index == first.Index {
		t.Errorf("proposal %v %v after %v", e, ok, first)
	}
}

// TestRecall draws what was best elsewhere, one of each neighbourhood, and nothing twice.
func TestRecall(t *testing.T) {
	p := pool(toySpace(t), 1)
	var hints []Hint
	for i := range p.Space.Len() {
		hints = append(hints, Hint{p.Space.At(i), float64((i * 37) % p.Space.Len())})
	}
	r, asked := NewRecall(hints), map[int]bool{}
	p.Known = func(i int) bool { return asked[i] }
	var drawn []kernels.Point
	for {
		got, ok := r.Propose(nil, p)
		if !ok {
			break
		}
		if len(drawn) == 0 && got.Index != 0 {
			t.Errorf("began with %d, want the best", got.Index)
		}
		asked[got.Index] = true
		for _, o := range drawn {
			if distance(o, p.Space.At(got.Index)) < 2 {
				t.Errorf("%v and its neighbour %v", o, p.Space.At(got.Index))
			}
		}
		drawn = append(drawn, p.Space.At(got.Index))
	}
	if len(drawn) != MostRecalled {
		t.Errorf("%d points, want %d", len(drawn), MostRecalled)
	}
}

// TestLessons: with thousands of verdicts a forest learns from the best and from some of the others by chance, and from
// the same ones whether somebody keeps them in order or not.
func TestLessons(t *testing.T) {
	p := bigPool(t, 2000)
	for i, o := range p.Seen {
		if i%3 == 0 {
			o.Score = math.Inf(1)
		}
	}
	of := func(seed uint64) []*Individual { return lessons(rand.New(rand.NewPCG(33, seed)), p) }
	got, order := of(1), byScore(p.Seen)
	if n := 128; len(got) != 2*n || !slices.Equal(got[:n], order[:n]) {
		t.Fatalf("%d lessons, or not the best first", len(got))
	}
	distinct, far := map[*Individual]bool{}, 0
	for seed := range uint64(50) {
		for _, o := range of(seed)[128:] {
			distinct[o] = true
			if math.IsInf(o.Score, 1) {
				far++
			}
		}
	}
	// 6,400 draws of 1,872, of which 667 failed
	if len(distinct) < 1700 || far < 2000 || far > 2600 {
		t.Errorf("%d of the others were drawn, %d times one that failed", len(distinct), far)
	}
	only := map[*Individual]bool{}
	for _, o := range got {
		only[o] = true
	}
	if len(only) != len(got) {
		t.Error("one was drawn twice")
	}
	p.Order = order
	if !slices.Equal(of(1), got) {
		t.Error("with an order that is kept they are others")
	}
}

// TestSome: what is drawn is the beginning of the list as a shuffle would leave it.
func TestSome(t *testing.T) {
	list := bigPool(t, 300).Seen
	for seed := range uint64(20) {
		want, rng := slices.Clone(list), rand.New(rand.NewPCG(34, seed))
		for i := range 100 {
			j := i + rng.IntN(len(want)-i)
			want[i], want[j] = want[j], want[i]
		}
		if got := some(rand.New(rand.NewPCG(34, seed)), list, 100); !slices.Equal(got, want[:100]) {
			t.Fatalf("seed %d: others were drawn", seed)
		}
	}
}
