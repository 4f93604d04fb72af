package kernels

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestNeighborsOrder(t *testing.T) {
	s := mustSpace(t, genesTOML([]string{"values = [1, 2, 4, 8]\ndefault = 1", "values = [1, 2]\ndefault = 1"}), nil)
	i, _ := s.Index(Point{1, 0})
	var got []string
	for _, j := range s.Neighbors(i) {
		got = append(got, s.Genome(s.At(j)).Key())
	}
	if want := "g0=1 g1=1; g0=4 g1=1; g0=2 g1=2; g0=8 g1=1"; strings.Join(got, "; ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "; "), want)
	}
}

func TestRepairIsNear(t *testing.T) {
	s := mustSpace(t, genesTOML(slices.Repeat([]string{"values = [1, 2, 4, 8, 16]\ndefault = 1"}, 4),
		"[[constraint]]\nrule = \"g0 * g1 == 16\"\nwhy = \"so\"\n[[constraint]]\nrule = \"g2 < g3\"\nwhy = \"so\""), nil)
	for _, c := range []struct {
		from    Point
		changed int
		steps   int
	}{
		{Point{2, 2, 0, 1}, 0, 0},
		{Point{2, 3, 0, 1}, 1, 1},
		{Point{4, 4, 0, 1}, 1, 4},
		{Point{2, 3, 3, 3}, 2, 2},
	} {
		i, _ := s.Repair(c.from, seeded(3))
		changed, steps := 0, 0
		for g, v := range s.At(i) {
			if v != c.from[g] {
				changed++
				steps += apart(v, c.from[g])
			}
		}
		if changed != c.changed || steps != c.steps {
			t.Errorf("%v became %v: %d genes, %d steps; want %d, %d", c.from, s.At(i), changed, steps, c.changed, c.steps)
		}
	}
}

func TestRepairFallsBack(t *testing.T) {
	// Only one point is legal, and it is farther than a repair searches.
	s := mustSpace(t, genesTOML(slices.Repeat([]string{"values = [1, 2, 3]\ndefault = 3"}, 6),
		"[[constraint]]\nrule = \"g0 + g1 + g2 + g3 + g4 + g5 == 18\"\nwhy = \"so\""), nil)
	if i, ok := s.Repair(make(Point, 6), seeded(1)); !ok || s.Len() != 1 || i != 0 {
		t.Errorf("got %d, %v of %d points", i, ok, s.Len())
	}
}

// bigFamily has 16 genes, 6 constraints and 826 720 legal points out of 4*10^8 combinations.
func bigFamily() string {
	genes := append(slices.Repeat([]string{"values = [1, 2, 4, 8]\ndefault = 1"}, 12),
		slices.Repeat([]string{"values = [1, 2]\ndefault = 1"}, 3)...)
	genes = append(genes, "values = [1, 2, 3]\ndefault = 1\nwhen = \"g12 == 2\"")
	var rest []string
	for _, r := range []string{"g0 * g1 <= 8", "g2 * g3 * g4 <= 8", "x % 4 == 0", "g5 == g6", "g7 * g8 == g0 * 2",
		"g9 <= g10", "y * device.sms <= 4000", "g11 < 8 || g1 == 1"} {
		rest = append(rest, fmt.Sprintf("[[constraint]]\nrule = \"%s\"\nwhy = \"because\"", r))
	}
	lets := "[[let]]\nname = \"x\"\nvalue = \"g0 * g1 * g2 * elem\"\n[[let]]\nname = \"y\"\nvalue = \"x + g5 + g11\"\n"
	return genesTOML(genes, lets+strings.Join(rest, "\n"))
}

func BenchmarkNewSpace(b *testing.B) {
	f, dev := mustFamily(b, bigFamily()), hopper(b)
	points := 0
	for b.Loop() {
		s, err := NewSpace(f, dev, FP16, nil)
		if err != nil {
			b.Fatal(err)
		}
		points = s.Len()
	}
	b.ReportMetric(float64(points), "points")
}

func BenchmarkNeighbors(b *testing.B) {
	s, rng := mustSpace(b, bigFamily(), nil), seeded(1)
	for b.Loop() {
		s.Neighbors(s.Sample(rng))
	}
}

func BenchmarkRepair(b *testing.B) {
	s, rng := mustSpace(b, bigFamily(), nil), seeded(1)
	for b.Loop() {
		p := s.At(s.Sample(rng))
		for g := range 3 {
			p[4*g] = s.Values(4 * g)[rng.IntN(len(s.Values(4*g)))]
		}
		s.Repair(p, rng)
	}
}
