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
		p.Seen = append(p.Seen, &Individual{Index: i, Point: p.Space.At(i), Score: bowl(p.Space.At(i)), Cost: 1})
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

// BenchmarkSurrogateInFlight is the cost of one choice in a space of a million points with 70 in flight: the training
// set is at its bound. At a hundred verdicts a second it has to stay well under 10 ms.
func BenchmarkSurrogateInFlight(b *testing.B) {
	for _, hurry := range []bool{false, true} {
		b.Run(fmt.Sprintf("hurry=%v", hurry), func(b *testing.B) {
			rng, p := rand.New(rand.NewPCG(23, 24)), bigPool(b, 1000)
			ask(b, rng, p, Random{}, 70)
			p.Hurry = hurry
			for b.Loop() {
				Surrogate{}.Propose(rng, p)
			}
		})
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
// may; with as many in flight as one GPU has, each has its own.
func TestOutlook(t *testing.T) {
	for _, tt := range []struct{ known, pending, verdicts, forests int }{{100, 320, 0, 1}, {100, 320, 9, 1},
		{100, 320, 10, 2}, {640, 320, 19, 1}, {640, 320, 20, 2}, {640, 96, 2, 1}, {640, 96, 3, 2}, {640, 22, 0, 5}} {
		rng, p := rand.New(rand.NewPCG(31, 32)), bigPool(t, tt.known)
		ask(t, rng, p, Random{}, tt.pending)
		p.Outlook = &Outlook{}
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
