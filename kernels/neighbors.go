package kernels

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// Neighbors lists the legal points that differ from point i in one gene: those with an adjacent
// value first, then those farther off. Genes that come into being with the change have their
// defaults, those that cease to exist are left out of the count.
func (s *Space) Neighbors(i int) []int {
	type neighbor struct{ index, far int }
	var found []neighbor
	pad, p := s.scratchpad(), s.At(i)
	for g := range p {
		here := slices.Index(s.allowed[g], p[g])
		for j, v := range s.allowed[g] {
			q := slices.Clone(p)
			q[g] = v
			s.normalize(pad, q)
			if k, ok := s.Index(q); ok && j != here && q[g] == v {
				found = append(found, neighbor{k, max(j-here, here-j)})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b neighbor) int { return cmp.Compare(a.far, b.far) })
	out := make([]int, len(found))
	for j, n := range found {
		out[j] = n.index
	}
	return out
}

// normalize makes p canonical, and gives its active genes the nearest value that is in play.
func (s *Space) normalize(pad *scratchpad, p Point) {
	for g, when := range s.whens {
		if when != nil {
			if on, err := pad.holds(when, p); err != nil || !on {
				p[g] = uint8(s.Family.Genes[g].def)
				continue
			}
		}
		p[g] = nearest(s.allowed[g], p[g])
	}
}

func nearest(allowed []uint8, v uint8) uint8 {
	best := allowed[0]
	for _, a := range allowed {
		if apart(a, v) < apart(best, v) {
			best = a
		}
	}
	return best
}

func apart(a, b uint8) int { return max(int(a)-int(b), int(b)-int(a)) }

// Bounds of a repair: how many genes it changes, how many points it tries, and how many legal points
// it looks at when that fails.
const (
	repairGenes = 3
	repairTries = 20_000
	repairScan  = 4096
)

// Repair finds the legal point nearest to p: the fewest genes changed, then the smallest steps, then
// by chance. It changes only genes that a broken constraint depends on; where that does not help, it
// takes the nearest of some legal points drawn at random. ok is false when p is no point of the family.
func (s *Space) Repair(p Point, rng *rand.Rand) (index int, ok bool) {
	if len(p) != len(s.radix) {
		return 0, false
	}
	for g, v := range p {
		if int(v) >= len(s.Family.Genes[g].values) {
			return 0, false
		}
	}
	r := &repair{space: s, pad: s.scratchpad(), rng: rng, best: -1, tries: repairTries}
	r.from = slices.Clone(p)
	s.normalize(r.pad, r.from)
	if s.recorded != nil {
		return s.nearestRecorded(r.from, rng), true
	}
	for depth := 0; depth <= repairGenes && r.best < 0; depth++ {
		r.search(r.from, 0, depth)
	}
	if r.best < 0 {
		r.scan()
	}
	return r.best, true
}

// repair is one search for the legal point nearest to another.
type repair struct {
	space *Space
	pad   *scratchpad
	rng   *rand.Rand
	from  Point
	tries int // left
	best  int // index, -1 none
	far   int // of best
	equal int // points as near as best
}

// search tries every way to change depth genes of q, each of a constraint that is broken at that
// moment: a repair of q must change one of those. changed has a bit for each gene already chosen.
func (r *repair) search(q Point, changed uint64, depth int) {
	if i, ok := r.space.Index(q); ok {
		r.offer(i, q)
		return
	}
	if depth == 0 {
		return
	}
	for _, g := range r.suspects(q) {
		if changed&(1<<g) != 0 {
			continue
		}
		for _, v := range r.space.allowed[g] {
			if r.tries--; r.tries < 0 {
				return
			}
			next := slices.Clone(q)
			next[g] = v
			r.space.normalize(r.pad, next)
			if v != q[g] && next[g] == v {
				r.search(next, changed|1<<g, depth-1)
			}
		}
	}
}

// suspects are the genes that the first broken constraint of q depends on, and those on which the
// existence of these depends.
func (r *repair) suspects(q Point) []int {
	i := slices.IndexFunc(r.space.rules, func(d *derived) bool {
		ok, err := r.pad.holds(d, q)
		return err != nil || !ok
	})
	if i < 0 {
		return r.space.recorded
	}
	genes := slices.Clone(r.space.rules[i].genes)
	for j := 0; j < len(genes); j++ {
		if when := r.space.whens[genes[j]]; when != nil {
			for _, g := range when.genes {
				if !slices.Contains(genes, g) {
					genes = append(genes, g)
				}
			}
		}
	}
	return genes
}

// offer keeps the nearest point; of several equally near ones each has the same chance.
func (r *repair) offer(i int, q Point) {
	far := 0
	for g := range q {
		if q[g] != r.from[g] {
			far += 1<<16 + apart(q[g], r.from[g]) // the number of genes first, then the steps
		}
	}
	switch {
	case r.best < 0 || far < r.far:
		r.best, r.far, r.equal = i, far, 1
	case far == r.far && i != r.best:
		if r.equal++; r.rng.IntN(r.equal) == 0 {
			r.best = i
		}
	}
}

func (r *repair) scan() {
	n := r.space.Len()
	for j := range min(n, repairScan) {
		i := j
		if n > repairScan {
			i = r.rng.IntN(n)
		}
		r.offer(i, r.space.At(i))
	}
}
