package mutate

import (
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/kernels"
	"darwarp/kernels/kernelstest"
)

//go:embed testdata/family.toml
var familyTOML string

func toySpace(t testing.TB) *kernels.Space {
	t.Helper()
	return kernelstest.Space(t, kernelstest.Family(t, "toy", familyTOML))
}

// cost is a landscape with one optimum: tile 64, cp_async, 4 stages, split 2.
func cost(s *kernels.Space, p kernels.Point) float64 {
	g := s.Genome(p)
	v := 1.0
	for name, want := range map[string]kernels.Value{"tile": kernels.Int(64), "loader": kernels.String("cp_async"),
		"stages": kernels.Int(4), "split": kernels.Int(2)} {
		if g[name] != want {
			v += 0.5
		}
	}
	return v
}

// pool judges the first n points of a shuffled space; every fifth fails.
func pool(s *kernels.Space, n int) *Pool {
	p := &Pool{Space: s}
	known := map[int]bool{}
	for k, i := range rand.New(rand.NewPCG(1, 2)).Perm(s.Len())[:n] {
		o := &Individual{ID: kernels.ID{byte(i + 1)}, Index: i, Point: s.At(i), Score: cost(s, s.At(i)), Generation: 1}
		if k%5 == 4 {
			o.Score = math.Inf(1)
		} else {
			p.Best = append(p.Best, o)
		}
		p.Seen = append(p.Seen, o)
		known[i] = true
	}
	slices.SortStableFunc(p.Best, func(a, b *Individual) int {
		if a.Score < b.Score {
			return -1
		}
		return 1
	})
	p.Known = func(i int) bool { return known[i] }
	return p
}

var all = []Operator{Random{}, Spread{}, Genes{}, Crossover{}, Local{}, Estimate{}, Surrogate{}}

func TestOperatorsProposeLegalPoints(t *testing.T) {
	s := toySpace(t)
	for _, op := range all {
		t.Run(op.Name(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			got, distinct := 0, map[int]bool{}
			for range 300 {
				p, ok := op.Propose(rng, pool(s, 30))
				if !ok {
					continue
				}
				got++
				distinct[p.Index] = true
				if j, legal := s.Index(s.At(p.Index)); !legal || j != p.Index {
					t.Fatalf("point %d is not legal", p.Index)
				}
				if len(p.Parents) > 0 && p.Note != describe(s, p.Parents[0].Point, s.At(p.Index)) {
					t.Fatalf("note %q does not describe the change", p.Note)
				}
			}
			if got < 100 {
				t.Errorf("only %d of 300 proposals", got)
			}
			// The estimate names the likeliest point, which on one pool is one point.
			if _, one := op.(Estimate); !one && len(distinct) < 5 {
				t.Errorf("only %d different points", len(distinct))
			}
		})
	}
}

func TestOperatorsAreFixedByTheSeed(t *testing.T) {
	s := toySpace(t)
	for _, op := range all {
		t.Run(op.Name(), func(t *testing.T) {
			run := func() (out []string) {
				rng := rand.New(rand.NewPCG(7, 8))
				for range 50 {
					p, ok := op.Propose(rng, pool(s, 30))
					out = append(out, fmt.Sprint(p.Index, p.Note, ok))
				}
				return out
			}
			if a, b := run(), run(); !slices.Equal(a, b) {
				t.Errorf("two runs differ:\n%v\n%v", a, b)
			}
		})
	}
}

func TestOperatorsOnEmptyAndFullPools(t *testing.T) {
	s := toySpace(t)
	empty := &Pool{Space: s, Known: func(int) bool { return false }}
	full := pool(s, s.Len())
	for _, tt := range []struct {
		op          Operator
		empty, full bool // whether it has something to offer
	}{{Random{}, true, false}, {Spread{}, true, false}, {Genes{}, false, true}, {Crossover{}, false, true},
		{Local{}, false, false}, {Estimate{}, false, false}} {
		t.Run(tt.op.Name(), func(t *testing.T) {
			offers := func(p *Pool) bool {
				rng := rand.New(rand.NewPCG(1, 1))
				for range 50 {
					if _, ok := tt.op.Propose(rng, p); ok {
						return true
					}
				}
				return false
			}
			if got := offers(empty); got != tt.empty {
				t.Errorf("on an empty pool: %v, want %v", got, tt.empty)
			}
			if got := offers(full); got != tt.full {
				t.Errorf("on a full pool: %v, want %v", got, tt.full)
			}
		})
	}
}

func TestRandomFindsTheLastUnknownPoint(t *testing.T) {
	s := toySpace(t)
	for _, last := range []int{0, s.Len() / 2, s.Len() - 1} {
		p := &Pool{Space: s, Known: func(i int) bool { return i != last }}
		got, ok := Random{}.Propose(rand.New(rand.NewPCG(5, 6)), p)
		if !ok || got.Index != last {
			t.Errorf("got %d %v, want %d", got.Index, ok, last)
		}
	}
}

func TestRandomIsUniform(t *testing.T) {
	s := toySpace(t)
	rng := rand.New(rand.NewPCG(9, 10))
	empty := &Pool{Space: s, Known: func(int) bool { return false }}
	counts := make([]float64, s.Len())
	const draws = 400
	for range draws * s.Len() {
		p, _ := Random{}.Propose(rng, empty)
		counts[p.Index]++
	}
	chi := 0.0
	for _, c := range counts {
		chi += (c - draws) * (c - draws) / draws
	}
	// Chi-squared with k degrees of freedom has mean k and variance 2k: six sigma.
	if k := float64(s.Len() - 1); chi > k+6*math.Sqrt(2*k) {
		t.Errorf("chi squared %.0f with %.0f degrees of freedom", chi, k)
	}
}

func TestSpreadIsFartherThanRandom(t *testing.T) {
	s := toySpace(t)
	mean := func(op Operator) float64 {
		rng, p, sum := rand.New(rand.NewPCG(11, 12)), pool(s, 10), 0.0
		for range 500 {
			got, _ := op.Propose(rng, p)
			near := 100
			for _, o := range p.Seen {
				near = min(near, distance(o.Point, s.At(got.Index)))
			}
			sum += float64(near)
		}
		return sum / 500
	}
	if a, b := mean(Spread{}), mean(Random{}); a <= b {
		t.Errorf("spread %.2f, random %.2f: expected spread to keep farther from what is known", a, b)
	}
}
