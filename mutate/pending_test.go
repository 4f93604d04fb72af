package mutate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

// bigSpace has ten genes of four values: 1,048,576 points, all of them legal.
func bigSpace(t testing.TB) *kernels.Space {
	t.Helper()
	var toml strings.Builder
	toml.WriteString("arch = \"sm_80\"\n")
	for g := range 10 {
		fmt.Fprintf(&toml, "[[gene]]\nname = \"g%d\"\nvalues = [1, 2, 3, 4]\ndefault = 1\n", g)
	}
	toml.WriteString(kernelstest.Launch)
	return kernelstest.Space(t, kernelstest.Family(t, "big", toml.String()))
}

// bowl is least where every gene has its third value.
func bowl(p kernels.Point) float64 {
	v := 1.0
	for g, at := range p {
		v += float64(g+1) / 10 * math.Abs(float64(at)-2)
	}
	return v
}

// bigPool has so many verdicts on random points of bigSpace; asking for a point puts it in flight.
func bigPool(t testing.TB, verdicts int) *Pool {
	t.Helper()
	rng, known := rand.New(rand.NewPCG(21, 22)), map[int]bool{}
	p := &Pool{Space: bigSpace(t), Known: func(i int) bool { return known[i] }}
	p.View = NewView(p.Space)
	for range verdicts {
		i := p.Space.Sample(rng)
		known[i] = true
		p.Seen = append(p.Seen, &Individual{Index: i, Point: p.Space.At(i), Score: bowl(p.Space.At(i)),
			Cost: 1 + float64(i%7)})
	}
	p.Best = slices.Clone(p.Seen)
	slices.SortStableFunc(p.Best, func(a, b *Individual) int { return int(math.Copysign(1, a.Score-b.Score)) })
	return p
}

// ask has an operator propose so many points, of which none is answered.
func ask(t testing.TB, rng *rand.Rand, p *Pool, op Operator, n int) {
	t.Helper()
	before, asked := p.Known, map[int]bool{}
	p.Known = func(i int) bool { return asked[i] || before(i) }
	for range n {
		got, ok := op.Propose(rng, p)
		if !ok || p.Known(got.Index) {
			t.Fatalf("proposal %v %v after %d", got, ok, len(p.Pending))
		}
		asked[got.Index], p.Pending = true, append(p.Pending, got.Index)
	}
}

// BenchmarkSurrogateInFlight is the cost of one choice in a space of a million points, as in a search: a verdict comes
// before each. With 22 in flight, as on one GPU, it is to stay near 2 ms of one core, so that a hundred verdicts a
// second leave the search idle. From 256 verdicts on the training set is at its bound.
func BenchmarkSurrogateInFlight(b *testing.B) {
	for _, flight := range []int{22, 70} {
		for _, known := range []int{30, 100, 250, 1000} {
			for _, hurry := range []bool{false, true} {
				b.Run(fmt.Sprintf("flight=%d/known=%d/hurry=%v", flight, known, hurry), func(b *testing.B) {
					rng, p := rand.New(rand.NewPCG(23, 24)), bigPool(b, known)
					ask(b, rng, p, Random{}, flight)
					p.Hurry, p.Live, p.Outlook = hurry, true, &Outlook{}
					seen := p.Seen
					for i := 0; b.Loop(); i++ {
						p.Seen = slices.Concat(seen, seen[:i%(len(seen)/8+1)])
						Surrogate{}.Propose(rng, p)
					}
				})
			}
		}
	}
}

// TestSpreadCountsWhatIsInFlight: a sample that is asked for at once is the one that is asked for point by point.
func TestSpreadCountsWhatIsInFlight(t *testing.T) {
	at := func(answered bool) (out []int) {
		rng, p := rand.New(rand.NewPCG(25, 26)), bigPool(t, 1)
		for range 22 {
			ask(t, rng, p, Spread{}, 1)
			i := p.Pending[len(p.Pending)-1]
			out = append(out, i)
			if answered {
				p.Seen, p.Pending = append(p.Seen, &Individual{Index: i, Point: p.Space.At(i), Score: 1}), nil
			}
		}
		return out
	}
	if a, b := at(true), at(false); !slices.Equal(a, b) {
		t.Errorf("one by one %v, at once %v", a, b)
	}
}

// TestSeconds: a live search keeps the forest for seconds until it knows a sixteenth more, or less than before; where a
// seed fixes the search each proposal has its own.
func TestSeconds(t *testing.T) {
	for _, live := range []bool{true, false} {
		p, grown := &Pool{Live: live, Outlook: &Outlook{}}, 0
		var got []int
		for _, known := range []int{16, 17, 18, 18, 19, 20, 5} {
			p.Seen = make([]*Individual, known)
			p.seconds(func() *forest { grown++; return &forest{} })
			got = append(got, grown)
		}
		want := []int{1, 1, 2, 2, 2, 3, 4}
		if !live {
			want = []int{1, 2, 3, 4, 5, 6, 7}
		}
		if !slices.Equal(got, want) {
			t.Errorf("live %v: %v forests were grown, expected %v", live, got, want)
		}
	}
}

// TestInFlightHidesNothing: 22 points in flight around the best do not keep proposals away from where it is good, and
// two proposals on the same verdicts are not all alike: some look where it is uncertain.
func TestInFlightHidesNothing(t *testing.T) {
	p := bigPool(t, 40)
	p.Pending = p.Space.Neighbors(p.Best[0].Index)[:22]
	judged := p.Known
	p.Known = func(i int) bool { return judged(i) || slices.Contains(p.Pending, i) }
	const proposals = 200
	mean, far, distinct := 0.0, 0, map[int]bool{}
	for seed := range uint64(proposals) {
		got, ok := Surrogate{}.Propose(rand.New(rand.NewPCG(27, seed)), p)
		if !ok || p.Known(got.Index) {
			t.Fatalf("proposal %v %v", got, ok)
		}
		at := p.Space.At(got.Index)
		mean += bowl(at) / proposals
		distinct[got.Index] = true
		if distance(at, p.Best[0].Point) > 2 {
			far++
		}
	}
	if best, middle := p.Best[0].Score, p.Best[20].Score; mean > best+0.2*(middle-best) {
		t.Errorf("the mean proposal has %.2f, the best %.2f, the middle one %.2f", mean, best, middle)
	}
	if far < proposals/10 || far > 3*proposals/4 || len(distinct) < proposals/4 {
		t.Errorf("%d of %d proposals are far from the best, %d are distinct", far, proposals, len(distinct))
	}
}

// TestOutlook: with hundreds in flight one forest serves several proposals, none of them twice, and no more than it
// may; with as many in flight as one GPU has, each has its own, until a live search knows hundreds of verdicts.
func TestOutlook(t *testing.T) {
	for _, tt := range []struct {
		known, pending, verdicts, forests int
		live                              bool
	}{
		{100, 320, 0, 1, false}, {100, 320, 9, 1, false}, {100, 320, 10, 2, false}, {640, 320, 19, 1, false},
		{640, 320, 20, 2, false}, {640, 96, 2, 1, false}, {640, 96, 3, 2, false}, {640, 22, 0, 5, false},
		{640, 320, 19, 1, true}, {640, 320, 20, 2, true}, {640, 96, 4, 1, true}, {640, 96, 5, 2, true},
		{640, 22, 4, 1, true}, {640, 22, 5, 2, true}, {255, 22, 1, 2, true}, {100, 22, 0, 5, true},
	} {
		rng, p := rand.New(rand.NewPCG(31, 32)), bigPool(t, tt.known)
		ask(t, rng, p, Random{}, tt.pending)
		p.Outlook, p.Live = &Outlook{}, tt.live
		forests, last := 0, 0.0
		for i := range 5 {
			if i == 1 {
				p.Seen = append(p.Seen, p.Seen[:tt.verdicts]...)
			}
			ask(t, rng, p, Surrogate{}, 1)
			if first := p.Outlook.points[0].mean; first != last {
				forests, last = forests+1, first
			}
		}
		if forests != tt.forests {
			t.Errorf("%d in flight, %d verdicts: %d forests for 5 proposals, expected %d", tt.pending, tt.verdicts,
				forests, tt.forests)
		}
		if p.Best = nil; p.Outlook.lasts(p) {
			t.Error("an outlook without anything to breed from")
		}
	}
}
