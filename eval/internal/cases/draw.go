package cases

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"darwarp/kernels"
)

// drawer draws sizes that no candidate can know before the session: what is right at the sizes of problem.toml alone is
// wrong.
type drawer struct {
	p   *kernels.Problem
	t   kernels.DType
	rng *rand.Rand
	cap float64 // operations, and elements of all tensors, of one size

	room float64 // elements of all tensors of one size, where these are bounded further; 0: they are not

	loads []kernels.Workload // that are scored
	long  float64            // up to which a dim is drawn that is long

	odd [alignments]int // multiples of 2^power are multiples of odd[power], too

	met map[pair]bool // pairs of values that two dims have had in one size
}

// pair is a value of each of two dims, or of one.
type pair struct {
	a, b   string
	av, bv int
}

// modesTried is among how many draws those of the dims are chosen that have a few values each.
const modesTried = 16

// modes gives a size its dims that have a few values each, flags and windows and head sizes: so that pairs of them meet
// that have not yet. A kernel that forgets one beside another is wrong there.
func (d *drawer) modes(size kernels.Dims) {
	var best kernels.Dims
	var met []pair
	for range modesTried {
		drawn := kernels.Dims{}
		for _, dim := range d.p.DimNames {
			if list := d.p.Range(dim).Values; len(list) > 0 {
				drawn[dim] = list[d.rng.IntN(len(list))]
			}
		}
		if fresh := d.unmet(drawn); best == nil || len(fresh) > len(met) {
			best, met = drawn, fresh
		}
	}
	if d.met == nil {
		d.met = map[pair]bool{}
	}
	for _, p := range met {
		d.met[p] = true
	}
	maps.Copy(size, best)
}

// unmet are the pairs of values that have not met.
func (d *drawer) unmet(drawn kernels.Dims) (list []pair) {
	for i, a := range d.p.DimNames {
		for _, b := range d.p.DimNames[i:] {
			p := pair{a, b, drawn[a], drawn[b]}
			_, has := drawn[a]
			if _, too := drawn[b]; has && too && !d.met[p] {
				list = append(list, p)
			}
		}
	}
	return list
}

const (
	alignments = 8    // classes of them: multiples of 1 and not of 2, of 2 and not of 4, ... of 128
	drawnSize  = 1024 // sizes are drawn up to this, in steps
)

// aligned draws as many sizes as there are alignments, and together they have each dim in each alignment: fast paths
// for what is whole vectors, tiles or steps are taken in some and not in others.
func (d *drawer) aligned() []kernels.Dims {
	var list []kernels.Dims
	turn := map[string][]int{}
	for _, dim := range d.p.DimNames {
		turn[dim] = d.rng.Perm(alignments)
	}
	for i := range alignments {
		size := kernels.Dims{}
		for _, dim := range d.p.DimNames {
			size[dim] = d.multiple(d.p.Range(dim), turn[dim][i])
		}
		d.modes(size)
		if d.shrink(size, nil) {
			list = append(list, size)
		}
	}
	return list
}

// thousands and longest are where dims begin to be long, and very long.
const (
	thousands = 1 << 10
	longest   = 1 << 16
)

// manyLines is how many lines of a very long dim there is room for in one of its sizes, with some operations a number:
// lines are of many classes.
const manyLines = 128

// longShare is the part of the bound in work that a size with a very long dim may take.
const longShare = 64

// reachTimes is how many times its largest scored size a dim is drawn up to that is very long.
const reachTimes = 4

// span is what a dim is drawn from, and from where on the others are drawn, which are long then; 0: they are small.
type span struct {
	low, high, others float64
}

// spans are what a dim of up to most is drawn from that is far from its usual sizes: one, less than a vector, a
// handful, thousands, and more where there is more. One is drawn three times: a single line is of a single class, which
// may be one that shows nothing. Twice the other dims are long then, and beside two or three, too: a plan for few long
// lines is another than that for small inputs. So they are once beside thousands: where both are many, other counters
// overflow than in long lines alone.
func (d *drawer) spans(most float64) []span {
	const long = drawnSize / 8
	list := []span{{1, 2, 0}, {1, 2, long}, {1, 2, long}, {2, 4, long}, {4, 17, 0},
		{thousands, d.long, 0}, {thousands, d.long, 4 * long}}
	if d.long >= longest && most > longest {
		list = append(list, span{longest, most, 0}, span{longest, min(most, d.cap/(longShare*manyLines)), 0})
	}
	return list
}

// wideShare is the part of the bound in work that a size with one short dim and long others may take, largeShare that
// of a size whose dims are all long, and wideLeast what these may take in any case.
const (
	wideShare  = 1 << 10
	largeShare = 1 << 8
	wideLeast  = 1e5
)

// reach is up to where a dim is drawn: several times its largest scored size. Farther out right kernels of the scored
// sizes add too many numbers one after the other.
func (d *drawer) reach(dim string) float64 {
	most := 0
	for _, w := range d.loads {
		most = max(most, w.Dims[dim])
	}
	return float64(min(d.p.Range(dim).Most, reachTimes*most))
}

// scales draws, for each dim, sizes in which it is one, a handful, some thousands or more, and the others are small:
// a kernel that leaves work out for few rows or for long ones meets all of them.
func (d *drawer) scales() []kernels.Dims {
	var list []kernels.Dims
	for _, dim := range d.p.DimNames {
		r := d.p.Range(dim)
		if len(r.Values) > 0 {
			continue
		}
		for _, span := range d.spans(d.reach(dim)) {
			list = append(list, d.within(dim, span)...)
		}
	}
	return list
}

// upper draws, for each dim that may be long, a size in the upper half of what it may be, with the others small: a plan
// that has no blocks for it shows, and there are so many lines that a few of them tell nothing about the others. Two
// where these are lines of the first input: a kernel that looks at some of them may see the hard ones of one size.
func (d *drawer) upper() []kernels.Dims {
	var list []kernels.Dims
	for _, dim := range d.p.DimNames {
		most := d.reach(dim)
		if len(d.p.Range(dim).Values) == 0 && d.long >= longest && most >= 2*thousands {
			for range d.draws(dim) {
				list = append(list, d.within(dim, span{most / 2, most, 0})...)
			}
		}
	}
	return list
}

// draws is how many sizes are drawn of a dim that is long: two where the first input has as many lines.
func (d *drawer) draws(dim string) int {
	first := slices.IndexFunc(d.p.Tensors, func(t kernels.Tensor) bool { return t.Role == "in" })
	if first < 0 || !slices.Contains(d.p.Tensors[first].Shape, dim) || d.p.Sums(dim) {
		return 1
	}
	return 2
}

// within draws a size whose one dim is in a span and the others small, or long, if there is one within the bound.
func (d *drawer) within(dim string, s span) []kernels.Dims {
	size, bound := kernels.Dims{}, *d
	for _, other := range d.p.DimNames {
		if size[other] = d.few(d.p.Range(other)); s.others > 0 {
			size[other] = d.some(d.p.Range(other), span{low: s.others, high: 4 * drawnSize})
		}
	}
	size[dim] = d.some(d.p.Range(dim), s)
	d.modes(size)
	switch {
	case s.others > 0 && s.low >= thousands:
		bound.cap = max(d.cap/largeShare, min(d.cap, wideLeast))
	case s.others > 0:
		bound.cap = max(d.cap/wideShare, min(d.cap, wideLeast))
	case s.low >= longest: // millions of numbers, not billions
		bound.cap, bound.room = bound.cap/longShare, 0
	}
	if !bound.shrink(size, []string{dim}) {
		return nil
	}
	return []kernels.Dims{size}
}

// some is a size of a dim within a span, as far as it may be, or one of the values that it may have.
func (d *drawer) some(r kernels.Range, s span) int {
	if len(r.Values) > 0 {
		return d.few(r)
	}
	v := s.low * math.Pow(max(s.high/s.low, 1), d.rng.Float64())
	return max(r.Step, min(int(v), r.Most)/r.Step*r.Step)
}

// few is a small size of a dim, or one of the values that it may have.
func (d *drawer) few(r kernels.Range) int {
	if len(r.Values) > 0 {
		return r.Values[d.rng.IntN(len(r.Values))]
	}
	return max(r.Step, min(lineCount+d.rng.IntN(lineCount), r.Most)/r.Step*r.Step)
}

// multiple draws a multiple of the range's step and of 2^power, but of no higher power of two unless it is the highest.
func (d *drawer) multiple(r kernels.Range, power int) int {
	if len(r.Values) > 0 {
		return r.Values[d.rng.IntN(len(r.Values))]
	}
	for power > 0 && r.Step<<power > r.Most {
		power--
	}
	unit := r.Step << power
	if odd := max(d.odd[power], 1); unit*odd <= r.Most { // tiles of 48, 80, 96 and 112 are full there
		unit *= odd
	}
	// Odd times that, and at least as many as it takes for lines of every class.
	least, most := (lineCount+unit-1)/unit|1, max(drawnSize*r.Step/unit, 1)
	times := least + 2*d.rng.IntN(max(1, (most-least)/2+1))
	return unit * min(times, (r.Most/unit-1)|1)
}

// oddFactors draws the factors of sizes that are no powers of two, by alignment: three for every other one, and five
// and seven in turn for the rest.
func oddFactors(rng *rand.Rand) (by [alignments]int) {
	thirds := rng.IntN(2)
	for power := 0; power < alignments; power += 4 {
		rest := []int{5, 7}
		rng.Shuffle(2, func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
		for i := range 4 {
			by[power+i] = 3
			if i%2 != thirds {
				by[power+i] = rest[i/2]
			}
		}
	}
	return by
}

// lineCount is how long the dims are that are not at issue: so many lines, or a few more, that each of many classes
// occurs.
const lineCount = 20
