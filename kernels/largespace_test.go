package kernels

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestConditionalGenesCountOnce(t *testing.T) {
	s := mustSpace(t, genesTOML([]string{
		"values = [1, 2]\ndefault = 1",
		"values = [1, 2, 3]\ndefault = 2\nwhen = \"g0 == 2\"",
		"values = [1, 2, 3]\ndefault = 3\nwhen = \"g1 == 1\"",
	}), nil)
	// g0=1: one point. g0=2: g1 in {2, 3} one point each, g1=1 with three of g2.
	if s.Len() != 6 {
		t.Errorf("%d points", s.Len())
	}
	if g := s.Genome(s.At(0)); g.Key() != "g0=1" {
		t.Errorf("genome of an inactive gene: %s", g.Key())
	}
	if got := s.Family.Defaults().Key(); got != "g0=1" {
		t.Errorf("defaults: %s", got)
	}
}

func TestPins(t *testing.T) {
	f := mustFamily(t, familyTOML)
	for _, c := range []struct {
		name string
		pins Pins
		want string
	}{
		{"opt-in left out", nil, "acc: fp32"},
		{"opt-in asked for", Pins{"acc": {String("fp16")}, "mma": {String("wmma")}}, "acc: fp16"},
		{"both", Pins{"acc": {String("fp16"), String("fp32")}}, "acc: fp32 fp16"},
		{"unknown gene", Pins{"tiles": {Int(16)}}, `unknown gene "tiles": tile has mma, acc, tile, warps, split`},
		{"unknown value", Pins{"tile": {Int(48)}}, "gene tile has no value 48: expected one of [16 32 64]"},
		{"no value left", Pins{"tile": {}}, "family tile: no legal point: a gene has no value left"},
		{"refused", Pins{"tile": {Int(16)}, "warps": {Int(8)}, "mma": {String("wmma")}},
			"family tile: no legal point: refused most often by mma == 'fma' || tile % (4 * warps) == 0 (warps tile the block)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := NewSpace(f, hopper(t), FP16, c.pins)
			var got string
			if err != nil {
				got = err.Error()
			} else {
				seen := map[uint8]bool{}
				for i := range s.Len() {
					seen[s.At(i)[1]] = true
				}
				got = "acc:"
				for i, v := range f.Genes[1].values {
					if seen[uint8(i)] {
						got += " " + v.String()
					}
				}
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestLargeSpacesAreCounted has 2^24 combinations and more: none is refused, and no list is made.
func TestLargeSpacesAreCounted(t *testing.T) {
	genes := slices.Repeat([]string{"values = [1, 2, 3, 4, 5, 6, 7, 8]\ndefault = 1"}, 8)
	for _, tt := range []struct {
		name, rules string
		want        int
	}{
		{"no constraint", "", 1 << 24},
		{"pairs", "[[constraint]]\nrule = \"g0 < g1\"\nwhy = \"so\"\n[[constraint]]\nrule = \"g6 + g7 == 9\"\nwhy = \"so\"",
			28 * 8 * 1 << 12},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := mustSpace(t, genesTOML(genes, tt.rules), nil)
			if s.Len() != tt.want || tt.want > MaxEnumerated && s.codes != nil {
				t.Fatalf("%d points, %d listed; want %d", s.Len(), len(s.codes), tt.want)
			}
			rng, seen := seeded(5), map[uint8]int{}
			for range 8000 {
				i := s.Sample(rng)
				p := s.At(i)
				if j, ok := s.Index(p); !ok || j != i {
					t.Fatalf("point %v: index %d %v, want %d", p, j, ok, i)
				}
				seen[p[3]]++
			}
			for v, n := range seen {
				if n < 850 || n > 1150 {
					t.Errorf("g3 has value %d in %d of 8000 draws, want about 1000", v, n)
				}
			}
		})
	}
	_, err := NewSpace(mustFamily(t, genesTOML(slices.Repeat(genes, 3))), hopper(t), FP16, nil)
	want := "family tile: the genes have too many combinations to index: remove values"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestTooManySteps has a constraint that an enumeration meets too late: the diagram sees at once that
// nothing can come of it.
func TestTooManySteps(t *testing.T) {
	genes := slices.Repeat([]string{"values = [1, 2, 3, 4]\ndefault = 1"}, 9)
	f := mustFamily(t, genesTOML(genes, "[[constraint]]\nrule = \"g0 + g8 > 99\"\nwhy = \"never\""))
	if _, err := newSpace(f, hopper(t), FP16, nil, nil, 1000); !errors.Is(err, ErrNoLegalPoint) ||
		!strings.Contains(err.Error(), "never") {
		t.Errorf("got %v", err)
	}
}

func TestConstraintFailure(t *testing.T) {
	f := mustFamily(t, genesTOML([]string{"values = [0, 1]\ndefault = 1"},
		"[[let]]\nname = \"x\"\nvalue = \"8 / g0\"\n[[constraint]]\nrule = \"x > 1\"\nwhy = \"so\""))
	_, err := NewSpace(f, hopper(t), FP16, nil)
	want := "family tile: let x: division by zero\n    8 / g0\n      ^"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestSampleIsUniform(t *testing.T) {
	// Half of the values of g0 have one point, half have eight: a sampler that chooses gene by gene
	// would draw both halves equally often.
	s := mustSpace(t, genesTOML([]string{"values = [1, 2]\ndefault = 1",
		"values = [1, 2, 3, 4, 5, 6, 7, 8]\ndefault = 1\nwhen = \"g0 == 2\""}), nil)
	const draws = 90_000
	count := make([]float64, s.Len())
	rng := seeded(7)
	for range draws {
		count[s.Sample(rng)]++
	}
	chi, want := 0.0, float64(draws)/float64(s.Len())
	for _, n := range count {
		chi += (n - want) * (n - want) / want
	}
	if s.Len() != 9 || chi > 26.1 { // 99.9 % quantile of chi-squared with 8 degrees of freedom
		t.Errorf("%d points, chi-squared %.1f: %v", s.Len(), chi, count)
	}
}

func TestIndexRefusesForeignPoints(t *testing.T) {
	s := mustSpace(t, familyTOML, nil)
	for _, p := range []Point{nil, {0}, make(Point, 9), {0, 0, 200, 1, 0}} {
		if _, ok := s.Index(p); ok {
			t.Errorf("%v is a point", p)
		}
		if _, ok := s.Repair(p, seeded(1)); ok {
			t.Errorf("%v was repaired", p)
		}
	}
	if _, err := s.Point(Genome{"tile": Int(5)}); err == nil {
		t.Error("Point took a value that the gene does not have")
	}
}

// TestGuardedClause has a clause that divides by zero wherever the one that guards it is not decided yet: it must
// refuse nothing there, and be no error.
func TestGuardedClause(t *testing.T) {
	genes := []string{"values = [2, 3, 4]\ndefault = 2", "values = [0, 1, 2]\ndefault = 1",
		"values = [0, 1, 2]\ndefault = 0"}
	s := mustSpace(t, genesTOML(genes, "[[constraint]]\nrule = \"g1 + g2 > 2 && g0 % g1 == 0\"\nwhy = \"so\""), nil)
	if len(s.Family.Constraints[0].clauses) != 2 || s.Len() != 3+2*2 { // g1 = 1: g2 = 2; g1 = 2: g0 even, g2 = 1 or 2
		t.Errorf("%d points, clauses %v", s.Len(), s.Family.Constraints[0].clauses)
	}
}

// TestFound: which values legal points have is told of a list and of counted points alike.
func TestFound(t *testing.T) {
	f := mustFamily(t, familyTOML)
	list, err := NewSpace(f, hopper(t), FP16, nil)
	if err != nil {
		t.Fatal(err)
	}
	counted, err := newSpace(f, hopper(t), FP16, nil, nil, 1)
	if err != nil || counted.counted == nil {
		t.Fatal(err)
	}
	missing := 0
	for i, values := range list.Found() {
		if !slices.Equal(values, counted.Found()[i]) {
			t.Errorf("gene %d: %v in a list, %v counted", i, values, counted.Found()[i])
		}
		for _, there := range values {
			if !there {
				missing++
			}
		}
	}
	if missing == 0 {
		t.Error("every value is found: this shows nothing")
	}
}

// TestVastSpace: a space of far too many points for a list is counted at once, not after the steps of a list.
func TestVastSpace(t *testing.T) {
	genes := make([]string, 14)
	for i := range genes {
		genes[i] = "values = [1, 2, 3, 4, 5, 6, 7, 8]\ndefault = 1"
	}
	s, err := newSpace(mustFamily(t, genesTOML(genes)), hopper(t), FP16, nil, nil, math.MaxInt)
	if err != nil || s.Len() != 1<<42 {
		t.Errorf("%d points, %v", s.Len(), err)
	}
}
