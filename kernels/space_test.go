package kernels

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"darwarp/kernels/expr"
)

// bruteForce lists the legal points by trying every combination through Family.Check alone.
func bruteForce(t *rapid.T, f *Family, dev Device, dt DType, pins Pins) []Point {
	var all []Point
	p := make(Point, len(f.Genes))
	var walk func(i int, env expr.Env)
	walk = func(i int, env expr.Env) {
		if i == len(p) {
			g := Genome{}
			for j := range f.Genes {
				g[f.Genes[j].Name] = f.Genes[j].values[p[j]]
			}
			if f.Check(g, dev, dt) == nil {
				all = append(all, slices.Clone(p))
			}
			return
		}
		gene := &f.Genes[i]
		on := true
		if gene.when != nil {
			var err error
			if on, err = gene.when.Bool(env); err != nil {
				t.Fatal(err)
			}
		}
		for j, v := range gene.values {
			want, pinned := pins[gene.Name]
			switch {
			case !on && j != gene.def, on && pinned && !slices.Contains(want, v), on && !pinned && gene.optIn[j]:
				continue
			}
			p[i], env[gene.Name] = uint8(j), v.Any()
			walk(i+1, env)
		}
	}
	walk(0, baseEnv(dev, dt))
	return all
}

// drawFamily writes a small random family: genes of one to four integers, some conditional, some
// with opt-in values, lets and constraints over them.
func drawFamily(t *rapid.T) string {
	n := rapid.IntRange(1, 6).Draw(t, "genes")
	name := func(below int) string {
		return fmt.Sprintf("g%d", rapid.IntRange(0, below-1).Draw(t, "gene"))
	}
	genes := make([]string, n)
	for i := range genes {
		k := rapid.IntRange(1, 4).Draw(t, "values")
		values := make([]string, k)
		for j := range values {
			values[j] = fmt.Sprint(1 << j)
		}
		def := rapid.IntRange(0, k-1).Draw(t, "default")
		genes[i] = fmt.Sprintf("values = [%s]\ndefault = %d", strings.Join(values, ", "), 1<<def)
		if i > 0 && rapid.Bool().Draw(t, "conditional") {
			genes[i] += fmt.Sprintf("\nwhen = \"%s > %d\"", name(i), rapid.IntRange(0, 3).Draw(t, "bound"))
		}
		if other := rapid.IntRange(0, k-1).Draw(t, "opt-in"); other != def && rapid.Bool().Draw(t, "has opt-in") {
			genes[i] += fmt.Sprintf("\nopt_in = [%d]", 1<<other)
		}
	}
	rest := []string{fmt.Sprintf("[[let]]\nname = \"x\"\nvalue = \"%s * %s + elem\"\n[[let]]\nname = \"y\"\nvalue = "+
		"\"x > 6 ? %s : x\"", name(n), name(n), name(n))}
	for range rapid.IntRange(0, 3).Draw(t, "rules") {
		rule := fmt.Sprintf(rapid.SampledFrom([]string{"%s * %s <= 8", "x %% %s == 0 || y < %s", "y + %s > %s", "%s != %s",
			"device.sms > %s && %s < 100",
			"%s > 1 || x < 9 && y %% %s == 0", "(x > 3 || y < 5) && %s != %s",
			"elem == 2 && (%s > 2 || y < 9 && x > 1) && %s < 8"}).Draw(t, "rule"), name(n), name(n))
		rest = append(rest, fmt.Sprintf("[[constraint]]\nrule = \"%s\"\nwhy = \"because\"", rule))
	}
	return genesTOML(genes, rest...)
}

func drawPins(t *rapid.T, f *Family) Pins {
	pins := Pins{}
	for i := range f.Genes {
		if rapid.IntRange(0, 3).Draw(t, "pin") == 0 {
			pins[f.Genes[i].Name] = rapid.SliceOfN(rapid.SampledFrom(f.Genes[i].values), 1, 2).Draw(t, "to")
		}
	}
	return pins
}

func TestSpaceEqualsBruteForce(t *testing.T) {
	p, dev := mustProblem(t), hopper(t)
	rapid.Check(t, func(t *rapid.T) {
		text := drawFamily(t)
		f, err := ParseFamily("f.toml", "f", []byte(text), p)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		pins := drawPins(t, f)
		want := bruteForce(t, f, dev, FP16, pins)
		s, err := NewSpace(f, dev, FP16, pins)
		if errors.Is(err, ErrNoLegalPoint) && len(want) == 0 {
			return
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if s.Len() != len(want) {
			t.Fatalf("%d points, brute force finds %d\n%s", s.Len(), len(want), text)
		}
		for i, w := range want {
			if !slices.Equal(s.At(i), w) {
				t.Fatalf("point %d is %v, brute force has %v\n%s", i, s.At(i), w, text)
			}
		}
		checkPoints(t, s)
		checkNeighbors(t, s)
		checkRepair(t, s)
		c, err := newSpace(f, dev, FP16, pins, 0)
		if err != nil || c.Len() != s.Len() {
			t.Fatalf("counted: %d points (%v), listed: %d\n%s", c.Len(), err, s.Len(), text)
		}
		for i, w := range want {
			if !slices.Equal(c.At(i), w) {
				t.Fatalf("counted point %d is %v, brute force has %v\n%s", i, c.At(i), w, text)
			}
		}
		checkPoints(t, c)
	})
}

// checkPoints: At, Index, Genome and Point are inverse to each other, and points are canonical.
func checkPoints(t *rapid.T, s *Space) {
	i := rapid.IntRange(0, s.Len()-1).Draw(t, "point")
	p := s.At(i)
	if j, ok := s.Index(p); !ok || j != i {
		t.Fatalf("Index(At(%d)) = %d, %v", i, j, ok)
	}
	g := s.Genome(p)
	q, err := s.Point(g)
	if err != nil || !slices.Equal(p, q) {
		t.Fatalf("Point(Genome(%v)) = %v, %v", p, q, err)
	}
	if c := s.Canonical(slices.Clone(p)); !slices.Equal(c, p) {
		t.Fatalf("legal point %v is not canonical: %v", p, c)
	}
	if err := s.Family.Check(g, s.Device, s.DType); err != nil {
		t.Fatalf("legal point %v: %v", p, err)
	}
}

// checkNeighbors: legal, each once, one common gene differs, adjacent values first, none left out.
func checkNeighbors(t *rapid.T, s *Space) {
	i := rapid.IntRange(0, s.Len()-1).Draw(t, "of")
	p, on := s.At(i), s.Active(s.At(i))
	seen, last := map[int]bool{i: true}, 0
	for _, j := range s.Neighbors(i) {
		if j < 0 || j >= s.Len() || seen[j] {
			t.Fatalf("neighbor %d of %d is out of range, itself or twice", j, i)
		}
		seen[j] = true
		q, qon := s.At(j), s.Active(s.At(j))
		differ, far := 0, 0
		for g := range p {
			if on[g] && qon[g] && p[g] != q[g] {
				differ++
				a := s.Values(g)
				far = slices.Index(a, q[g]) - slices.Index(a, p[g])
				far = max(far, -far)
			}
		}
		if differ != 1 || far < last {
			t.Fatalf("neighbor %v of %v: %d genes differ, %d steps after %d", q, p, differ, far, last)
		}
		last = far
	}
	for j := range s.Len() { // a point with the same genes that differs in one value is a neighbor
		q := s.At(j)
		differ := 0
		for g := range p {
			if p[g] != q[g] {
				differ++
			}
		}
		if differ == 1 && !seen[j] {
			t.Fatalf("%v is not among the neighbors of %v", q, p)
		}
	}
}

// checkRepair: always legal, a legal point stays, and no legal point has fewer genes changed.
func checkRepair(t *rapid.T, s *Space) {
	p := make(Point, len(s.radix))
	for g := range p {
		p[g] = uint8(rapid.IntRange(0, len(s.Family.Genes[g].values)-1).Draw(t, "value"))
	}
	rng := seeded(rapid.Uint64().Draw(t, "seed"))
	i, ok := s.Repair(p, rng)
	if !ok || i < 0 || i >= s.Len() {
		t.Fatalf("Repair(%v) = %d, %v", p, i, ok)
	}
	normal := slices.Clone(p)
	s.normalize(s.scratchpad(), normal)
	if j, legal := s.Index(normal); legal && i != j {
		t.Fatalf("Repair(%v) = %d: it is legal as %d", p, i, j)
	}
}

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
	if _, err := newSpace(f, hopper(t), FP16, nil, 1000); !errors.Is(err, ErrNoLegalPoint) ||
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

func TestIndexRefusesStrangers(t *testing.T) {
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

func TestCheckNamesEveryBrokenConstraint(t *testing.T) {
	f := mustFamily(t, familyTOML)
	err := f.Check(Genome{"mma": String("wmma"), "tile": Int(16), "warps": Int(8)}, Device{MaxThreads: 128}, FP16)
	want := "illegal: a block has at most that many threads (threads <= device.max_threads)\nillegal: warps tile the " +
		"block (mma == 'fma' || tile % (4 * warps) == 0)"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestFamilyRuns(t *testing.T) {
	for _, c := range []struct {
		arch string
		cc   int
		want bool
	}{{"sm_80", 80, true}, {"sm_80", 90, true}, {"sm_80", 75, false}, {"sm_90a", 90, true}, {"sm_90a", 100, false},
		{"sm_100a", 100, true}} {
		f := mustFamily(t, strings.Replace(familyTOML, "sm_80", c.arch, 1))
		if got := f.Runs(Device{CC: c.cc}); got != c.want {
			t.Errorf("%s on %d: %v", c.arch, c.cc, got)
		}
	}
}

func TestAccumulator(t *testing.T) {
	f := mustFamily(t, familyTOML)
	if got := f.Accumulator(Genome{"acc": String("fp16")}); got != FP16 {
		t.Errorf("got %s", got)
	}
	if got := f.Accumulator(Genome{}); got != FP32 {
		t.Errorf("default: %s", got)
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
