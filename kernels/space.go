package kernels

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"darwarp/kernels/diagram"
)

// MaxEnumerated is the number of legal points up to which a space is held as a list. The points of a
// larger one are counted. Attention has 1.2 million, and ties too many genes together to be counted fast.
const MaxEnumerated = 4 << 20

// Space is the set of legal points of a family on one device, in a fixed order. It does not change,
// and may be read by several goroutines.
type Space struct {
	Family *Family
	Device Device
	DType  DType
	Sizes  []Dims // that the points are for: see NewSpace

	allowed [][]uint8        // by gene: the value indices in play, ascending
	radix   []uint64         // by gene: place value of the mixed-radix code
	codes   []uint64         // legal points, ascending
	counted *diagram.Diagram // in place of codes, where there are too many
	whens   []*derived
	rules   []*derived // by constraint
	clauses []clause   // of them, those that are decided earlier
	lets    []*derived // those of the family that depend on a gene
	refused []int      // by constraint: how many partial points it refused

	recorded []int    // every gene, where the points are those of a recording and not all legal ones; else nil
	packed   []uint64 // the points of a recording, see pack
}

// Pins restrict genes to some of their values, and let opt-in values in: what the user's
// --gene NAME=V,V says.
type Pins map[string][]Value

// ErrNoLegalPoint means that no combination of values passes the constraints.
var ErrNoLegalPoint = errors.New("no legal point")

// NewSpace enumerates the legal points. Each constraint is evaluated once per combination of the
// genes that it reads, as soon as the last of them is chosen.
//
// With sizes, it is the space of a search that scores these: constraints that read dims hold at each of them, and a
// gene exists only if it matters at one of them. Without sizes, no point is refused because of a size.
func NewSpace(f *Family, dev Device, t DType, pins Pins, sizes ...Dims) (*Space, error) {
	return newSpace(f, dev, t, pins, sizes, maxSteps)
}

// newSpace makes a list in at most so many steps, or counts.
func newSpace(f *Family, dev Device, t DType, pins Pins, sizes []Dims, steps int) (*Space, error) {
	s := &Space{Family: f, Device: dev, DType: t, Sizes: sizes, radix: make([]uint64, len(f.Genes)),
		refused: make([]int, len(f.Constraints))}
	if err := s.restrict(pins); err != nil {
		return nil, err
	}
	place := uint64(1)
	for i := len(f.Genes) - 1; i >= 0; i-- {
		s.radix[i] = place
		if place > 1<<55 {
			return nil, fmt.Errorf("family %s: the genes have too many combinations to index: remove values", f.Name)
		}
		place *= uint64(len(f.Genes[i].values))
	}
	s.derive()
	if err := s.enumerate(steps); err != nil {
		return nil, fmt.Errorf("family %s: %w", f.Name, err)
	}
	s.precompute()
	return s, nil
}

func (s *Space) restrict(pins Pins) error {
	for name := range pins {
		if s.Family.gene(name) == nil {
			return s.Family.knows(Genome{name: Value{}})
		}
	}
	for i := range s.Family.Genes {
		g := &s.Family.Genes[i]
		var allowed []uint8
		want, pinned := pins[g.Name]
		for _, v := range want {
			if _, err := g.index(v); err != nil {
				return err
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

func (s *Space) derive() {
	f := s.Family
	lets := derivedLets(f)
	for i := range f.Lets {
		if l := lets[f.Lets[i].Name]; len(l.genes) > 0 {
			s.lets = append(s.lets, l)
		}
	}
	s.whens = make([]*derived, len(f.Genes))
	for i := range f.Genes {
		g := &f.Genes[i]
		switch {
		case g.sized != nil && len(s.Sizes) > 0:
			s.whens[i] = newDerived(f, "gene "+g.Name+": matters", g.sized, lets)
			s.whens[i].at = anySize
		case g.when != nil:
			s.whens[i] = newDerived(f, "gene "+g.Name+": when", g.when, lets)
		}
	}
	for i := range f.Constraints {
		what := fmt.Sprintf("constraint[%d].rule", i)
		rule := newDerived(f, what, f.Constraints[i].expr, lets)
		if f.Constraints[i].sized {
			rule.at = f.Constraints[i].sizing()
		}
		s.rules = append(s.rules, rule)
		for _, e := range f.Constraints[i].clauses {
			d := newDerived(f, what, e, lets)
			if d.at = rule.at; d.last() < rule.last() {
				s.clauses = append(s.clauses, clause{i, d})
			}
		}
	}
}

// precompute evaluates expressions ahead, before the space is read by others.
func (s *Space) precompute() {
	pad := s.scratchpad()
	pad.keep = true
	for _, list := range [][]*derived{s.rules, s.whens, s.lets} {
		for _, d := range list {
			pad.fill(d)
		}
	}
}

func (s *Space) scratchpad() *scratchpad {
	return &scratchpad{family: s.Family, device: s.Device, dtype: s.DType, sizes: s.Sizes}
}

// Len is the number of legal points.
func (s *Space) Len() int {
	if s.counted != nil {
		return s.counted.Len()
	}
	return len(s.codes)
}

// Recorded reports whether the points are those of a recording and not all legal ones.
func (s *Space) Recorded() bool { return s.recorded != nil }

// Sample draws a legal point, each with the same probability.
func (s *Space) Sample(rng *rand.Rand) int { return rng.IntN(s.Len()) }

// Values lists the value indices of a gene that are in play.
func (s *Space) Values(gene int) []uint8 { return s.allowed[gene] }

// Refused counts, by constraint, the partial points that it alone kept out: 0 for a rule that is
// implied by those before it.
func (s *Space) Refused() []int { return s.refused }

// why names the constraints that refused the most.
func (s *Space) why() string {
	var order []int
	for i, n := range s.refused {
		if n > 0 {
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return "a gene has no value left"
	}
	slices.SortStableFunc(order, func(a, b int) int { return s.refused[b] - s.refused[a] })
	var parts []string
	for _, i := range order[:min(3, len(order))] {
		c := s.Family.Constraints[i]
		parts = append(parts, fmt.Sprintf("%s (%s)", c.Rule, c.Why))
	}
	return "refused most often by " + strings.Join(parts, "; ")
}
