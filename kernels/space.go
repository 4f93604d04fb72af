package kernels

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
)

// MaxEnumerated is the number of legal points up to which a space is held as a list. A larger space
// is refused with a hint: restrict it with pins.
const MaxEnumerated = 4 << 20

// Point is a legal point as value indices, one per gene in declaration order. Inactive genes hold
// their default's index, so that one kernel is one point.
type Point []uint8

// Space is the set of legal points of a family on one device, in a fixed order.
type Space struct {
	Family *Family
	Device Device
	DType  DType

	allowed [][]uint8 // by gene: the value indices in play, ascending
	radix   []uint64  // by gene: place value of the mixed-radix code
	codes   []uint64  // legal points, ascending
}

// Pins restrict genes to some of their values, and let opt-in values in: what the user's
// --gene NAME=V,V says.
type Pins map[string][]Value

// ErrNoLegalPoint means that no combination of values passes the constraints.
var ErrNoLegalPoint = errors.New("no legal point")

// NewSpace enumerates the legal points. Each constraint is evaluated once per combination of the
// genes that it reads, as soon as the last of them is chosen.
func NewSpace(f *Family, dev Device, t DType, pins Pins) (*Space, error) {
	s := &Space{Family: f, Device: dev, DType: t}
	if err := s.restrict(pins); err != nil {
		return nil, err
	}
	s.radix = make([]uint64, len(f.Genes))
	place := uint64(1)
	for i := len(f.Genes) - 1; i >= 0; i-- {
		s.radix[i] = place
		if place > 1<<56 {
			return nil, fmt.Errorf("family %s: the genes have too many combinations to index: remove values", f.Name)
		}
		place *= uint64(len(f.Genes[i].values))
	}
	e := &enumerator{space: s, rules: rulesByGene(f), point: make(Point, len(f.Genes)), env: Env{"device": dev, "elem": t.Size()}, broken: make([]int, len(f.Constraints))}
	if err := e.walk(0, 0); err != nil {
		return nil, err
	}
	if len(s.codes) == 0 {
		return nil, fmt.Errorf("family %s: %w: %s", f.Name, ErrNoLegalPoint, e.why())
	}
	slices.Sort(s.codes)
	return s, nil
}

func (s *Space) restrict(pins Pins) error {
	for name := range pins {
		if s.Family.gene(name) == nil {
			return fmt.Errorf("unknown gene %q: %s has %s", name, s.Family.Name, strings.Join(s.Family.GeneNames(), ", "))
		}
	}
	for i := range s.Family.Genes {
		g := &s.Family.Genes[i]
		var allowed []uint8
		want, pinned := pins[g.Name]
		for _, v := range want {
			if !slices.Contains(g.values, v) {
				return fmt.Errorf("gene %s has no value %v: expected one of %v", g.Name, v, g.values)
			}
		}
		for j, v := range g.values {
			if pinned && slices.Contains(want, v) || !pinned && !g.optIn[j] {
				allowed = append(allowed, uint8(j))
			}
		}
		s.allowed = append(s.allowed, allowed)
	}
	return nil
}

// rule is a constraint with its memo: whether it holds, by the values of the genes it depends on.
type rule struct {
	index int
	expr  *Expr
	lets  []Let // those it needs, in order
	genes []int // those it depends on, through lets too, ascending
	memo  map[uint64]bool
}

// rulesByGene files every constraint under the last gene that it depends on.
func rulesByGene(f *Family) [][]*rule {
	out := make([][]*rule, len(f.Genes))
	for i, c := range f.Constraints {
		r := &rule{index: i, expr: c.expr, memo: map[uint64]bool{}}
		need := map[string]bool{}
		for _, n := range c.expr.Names() {
			need[n] = true
		}
		for j := len(f.Lets) - 1; j >= 0; j-- {
			if need[f.Lets[j].Name] {
				r.lets = append([]Let{f.Lets[j]}, r.lets...)
				for _, n := range f.Lets[j].expr.Names() {
					need[n] = true
				}
			}
		}
		for j := range f.Genes {
			if need[f.Genes[j].Name] {
				r.genes = append(r.genes, j)
			}
		}
		last := 0
		if len(r.genes) > 0 {
			last = r.genes[len(r.genes)-1]
		}
		out[last] = append(out[last], r)
	}
	return out
}

type enumerator struct {
	space  *Space
	rules  [][]*rule
	point  Point
	env    Env
	broken []int // by constraint: how many partial points it refused
}

func (e *enumerator) walk(i int, code uint64) error {
	f := e.space.Family
	if i == len(f.Genes) {
		if len(e.space.codes) == MaxEnumerated {
			return fmt.Errorf("family %s has more than %d legal points: restrict genes with --gene NAME=VALUE,...", f.Name, MaxEnumerated)
		}
		e.space.codes = append(e.space.codes, code)
		return nil
	}
	g := &f.Genes[i]
	values := e.space.allowed[i]
	active, err := e.active(g)
	if err != nil {
		return err
	}
	if !active {
		values = []uint8{uint8(g.def)}
	}
	for _, v := range values {
		e.point[i] = v
		e.env[g.Name] = g.values[v].Any()
		ok, err := e.holds(i)
		if err != nil {
			return err
		}
		if ok {
			if err := e.walk(i+1, code+uint64(v)*e.space.radix[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *enumerator) active(g *Gene) (bool, error) {
	if g.when == nil {
		return true, nil
	}
	on, err := g.when.Bool(e.env)
	if err != nil {
		return false, fmt.Errorf("gene %s: when: %w", g.Name, err)
	}
	return on, nil
}

func (e *enumerator) holds(gene int) (bool, error) {
	for _, r := range e.rules[gene] {
		key := uint64(0)
		for _, j := range r.genes {
			key += uint64(e.point[j]) * e.space.radix[j]
		}
		ok, known := r.memo[key]
		if !known {
			var err error
			if ok, err = r.eval(e.env); err != nil {
				return false, fmt.Errorf("constraint[%d].rule: %w", r.index, err)
			}
			r.memo[key] = ok
		}
		if !ok {
			e.broken[r.index]++
			return false, nil
		}
	}
	return true, nil
}

func (r *rule) eval(env Env) (bool, error) {
	for _, l := range r.lets {
		v, err := l.expr.Value(env)
		if err != nil {
			return false, fmt.Errorf("let %s: %w", l.Name, err)
		}
		env[l.Name] = v
	}
	return r.expr.Bool(env)
}

// why names the constraints that refused the most.
func (e *enumerator) why() string {
	order := make([]int, 0, len(e.broken))
	for i, n := range e.broken {
		if n > 0 {
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return "a gene has no value left"
	}
	sort.SliceStable(order, func(a, b int) bool { return e.broken[order[a]] > e.broken[order[b]] })
	var parts []string
	for _, i := range order[:min(3, len(order))] {
		c := e.space.Family.Constraints[i]
		parts = append(parts, fmt.Sprintf("%s (%s)", c.Rule, c.Why))
	}
	return "refused most often by " + strings.Join(parts, "; ")
}

// Len is the number of legal points.
func (s *Space) Len() int { return len(s.codes) }

// At is the i-th legal point.
func (s *Space) At(i int) Point {
	p := make(Point, len(s.radix))
	code := s.codes[i]
	for j, place := range s.radix {
		p[j] = uint8(code / place)
		code %= place
	}
	return p
}

// Index finds a point; ok is false when it is not legal.
func (s *Space) Index(p Point) (i int, ok bool) {
	code := uint64(0)
	for j, v := range p {
		code += uint64(v) * s.radix[j]
	}
	return slices.BinarySearch(s.codes, code)
}

// Sample draws a legal point, each with the same probability.
func (s *Space) Sample(rng *rand.Rand) int { return rng.IntN(len(s.codes)) }

// Values lists the value indices of a gene that are in play.
func (s *Space) Values(gene int) []uint8 { return s.allowed[gene] }

// Active says which genes of a point exist.
func (s *Space) Active(p Point) []bool {
	env := Env{"device": s.Device, "elem": s.DType.Size()}
	on := make([]bool, len(p))
	for i := range s.Family.Genes {
		g := &s.Family.Genes[i]
		env[g.Name] = g.values[p[i]].Any()
		on[i] = true
		if g.when != nil {
			ok, err := g.when.Bool(env)
			on[i] = err == nil && ok
		}
	}
	return on
}

// Canonical sets the genes of p that do not exist to their defaults, in place.
func (s *Space) Canonical(p Point) Point {
	env := Env{"device": s.Device, "elem": s.DType.Size()}
	for i := range s.Family.Genes {
		g := &s.Family.Genes[i]
		env[g.Name] = g.values[p[i]].Any()
		if g.when != nil {
			if on, err := g.when.Bool(env); err != nil || !on {
				p[i] = uint8(g.def)
				env[g.Name] = g.values[g.def].Any()
			}
		}
	}
	return p
}

// Genome gives the point's active genes their values.
func (s *Space) Genome(p Point) Genome {
	g := Genome{}
	for i, on := range s.Active(p) {
		if on {
			g[s.Family.Genes[i].Name] = s.Family.Genes[i].values[p[i]]
		}
	}
	return g
}

// Point finds the indices of a genome's values; genes it leaves out have their defaults. It does not
// check constraints: Index does.
func (s *Space) Point(g Genome) (Point, error) {
	p := make(Point, len(s.Family.Genes))
	for i := range s.Family.Genes {
		gene := &s.Family.Genes[i]
		p[i] = uint8(gene.def)
		if v, ok := g[gene.Name]; ok {
			j := slices.Index(gene.values, v)
			if j < 0 {
				return nil, fmt.Errorf("gene %s has no value %v: expected one of %v", gene.Name, v, gene.values)
			}
			p[i] = uint8(j)
		}
	}
	for name := range g {
		if s.Family.gene(name) == nil {
			return nil, fmt.Errorf("unknown gene %q: %s has %s", name, s.Family.Name, strings.Join(s.Family.GeneNames(), ", "))
		}
	}
	return p, nil
}
