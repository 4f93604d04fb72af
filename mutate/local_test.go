package mutate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
)

func TestLocalStaysBesideTheBest(t *testing.T) {
	s := toySpace(t)
	p, rng := pool(s, 20), rand.New(rand.NewPCG(13, 14))
	for range 100 {
		got, ok := Local{}.Propose(rng, p)
		if !ok {
			t.Fatal("nothing to offer beside the best")
		}
		if !slices.Contains(s.Neighbors(got.Parents[0].Index), got.Index) || p.Known(got.Index) {
			t.Fatalf("%d is not an unknown neighbour of %d", got.Index, got.Parents[0].Index)
		}
	}
}

func TestEstimatePrefersWhatTheBestHave(t *testing.T) {
	s := toySpace(t)
	prefersGood(t, s, pool(s, 40), rand.New(rand.NewPCG(15, 16)), Estimate{})
}

// prefersGood holds an operator's proposals against random points: they must be new, and cheaper.
func prefersGood(t *testing.T, s *kernels.Space, p *Pool, rng *rand.Rand, op Operator) {
	t.Helper()
	guess, blind := 0.0, 0.0
	for range 100 {
		e, ok := op.Propose(rng, p)
		if !ok || p.Known(e.Index) {
			t.Fatalf("proposal %v %v", e, ok)
		}
		r, _ := Random{}.Propose(rng, p)
		guess += cost(s, s.At(e.Index))
		blind += cost(s, s.At(r.Index))
	}
	if guess > 0.9*blind {
		t.Errorf("mean cost of proposals %.2f, of random points %.2f", guess/100, blind/100)
	}
}

func TestDescribe(t *testing.T) {
	s := toySpace(t)
	from := kernels.Point{0, 2, 1, 0}
	for _, tt := range []struct {
		to   kernels.Point
		want string
	}{
		{kernels.Point{0, 2, 2, 0}, "stages 3 -> 4"},
		{kernels.Point{1, 0, 1, 0}, "tile 8 -> 16, loader cp_async -> scalar"},
		{from, ""},
	} {
		if got := describe(s, from, tt.to); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.to, got, tt.want)
		}
	}
}

func TestChangeStepsMostly(t *testing.T) {
	s := toySpace(t)
	rng := rand.New(rand.NewPCG(17, 18))
	steps, jumps := 0, 0
	for range 4000 {
		p := kernels.Point{2, 0, 0, 0}
		change(rng, s, p)
		switch d := int(p[0]) - 2; d {
		case 0:
		case 1, -1:
			steps++
		default:
			jumps++
		}
	}
	if steps < 2*jumps || jumps == 0 {
		t.Errorf("%d steps and %d jumps of an ordered gene: expected mostly steps and some jumps", steps, jumps)
	}
}

func BenchmarkPropose(b *testing.B) {
	for _, op := range []Operator{Estimate{}, Surrogate{}} {
		b.Run(op.Name(), func(b *testing.B) {
			s := toySpace(b)
			p, rng := pool(s, 40), rand.New(rand.NewPCG(15, 16))
			for b.Loop() {
				if _, ok := op.Propose(rng, p); !ok {
					b.Fatal("nothing proposed")
				}
			}
		})
	}
}

func TestNamesAreWords(t *testing.T) {
	seen := map[string]bool{}
	for _, op := range all {
		if n := op.Name(); n == "" || seen[n] || strings.ContainsAny(n, " \t") {
			t.Errorf("operator name %q", n)
		} else {
			seen[n] = true
		}
	}
}
