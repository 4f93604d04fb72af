package kernels

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"darwarp/kernels/expr"
)

// bruteForce lists the legal points by trying every combination through Family.Check alone.
func bruteForce(t *rapid.T, f *Family, dev Device, dt DType, pins Pins, sizes []Dims) []Point {
	var all []Point
	p := make(Point, len(f.Genes))
	var walk func(i int, env expr.Env)
	walk = func(i int, env expr.Env) {
		if i == len(p) {
			g := Genome{}
			for j := range f.Genes {
				g[f.Genes[j].Name] = f.Genes[j].values[p[j]]
			}
			if f.Check(g, dev, dt, sizes...) == nil {
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
		if on && gene.Matters != "" && len(sizes) > 0 {
			on = slices.ContainsFunc(sizes, func(d Dims) bool {
				here := maps.Clone(env)
				d.into(here)
				ok, err := gene.sized.Bool(here)
				return err == nil && ok
			})
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
	walk(0, baseEnv(dev, dt, f.out))
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
		if i > 0 && rapid.Bool().Draw(t, "sized") {
			genes[i] += fmt.Sprintf("\nmatters = \"m > %s\"", name(i))
		}
		if other := rapid.IntRange(0, k-1).Draw(t, "opt-in"); other != def && rapid.Bool().Draw(t, "has opt-in") {
			genes[i] += fmt.Sprintf("\nopt_in = [%d]", 1<<other)
		}
	}
	rest := []string{fmt.Sprintf("[[let]]\nname = \"x\"\nvalue = \"%s * %s + elem\"\n[[let]]\nname = \"y\"\nvalue = "+
		"\"x > 6 ? %s : x\"", name(n), name(n), name(n))}
	for range rapid.IntRange(0, 3).Draw(t, "rules") {
		rule := fmt.Sprintf(rapid.SampledFrom([]string{"%s * %s <= 8", "x %% %s == 0 || y < %s", "y + %s > %s", "%s != %s",
			"device.sms > %s && %s < 100", "%s <= m && y < n * %s", "%s < m || x > 3 && %s < n",
			"%s > 1 || x < 9 && y %% %s == 0", "(x > 3 || y < 5) && %s != %s",
			"elem == 2 && (%s > 2 || y < 9 && x > 1) && %s < 8"}).Draw(t, "rule"), name(n), name(n))
		rest = append(rest, fmt.Sprintf("[[constraint]]\nrule = \"%s\"\nwhy = \"because\"", rule))
		if strings.ContainsAny(rule, "mn") && !strings.Contains(rule, "device") && !strings.Contains(rule, "elem") {
			rest[len(rest)-1] += "\nsome = " + fmt.Sprint(rapid.Bool().Draw(t, "some"))
		}
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

func drawSizes(t *rapid.T) (sizes []Dims) {
	side := rapid.IntRange(1, 9)
	for range rapid.IntRange(0, 2).Draw(t, "sizes") {
		sizes = append(sizes, Dims{"m": side.Draw(t, "m"), "n": side.Draw(t, "n"), "k": 1})
	}
	return sizes
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
		sizes := drawSizes(t)
		want := bruteForce(t, f, dev, FP16, pins, sizes)
		s, err := NewSpace(f, dev, FP16, pins, sizes...)
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
		c, err := newSpace(f, dev, FP16, pins, sizes, 0)
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
