package graph

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Small sizes by how many dims of a sort there are: one; shorter than a warp, a word or a team; one more and one less
// than a power of two; whole words and not.
var (
	keptSizes   = [][]int{{1, 37, 70, 9, 3, 5, 18, 2}, {1, 3, 5, 9, 2, 4, 2, 7}}
	summedSizes = [][]int{
		{1, 7, 64, 257, 1000, 1023, 4104, 16392},
		{1, 3, 8, 17, 33, 64, 65, 128},
		{1, 2, 3, 5, 8, 16, 9, 4},
	}
)

// Sizes of products: one more and one less than a tile, primes, sums shorter than a tile. Of batches there are few, or
// else the emulated reference has too much to do.
var (
	sideSizes  = [][]int{{1, 17, 65, 63, 34, 129, 64, 7}}
	termSizes  = [][]int{{1, 8, 33, 127, 37, 264, 40, 1000}}
	batchSizes = [][]int{{1, 3, 5, 2, 4, 2, 3, 7}}
)

// shapes are the sizes that every candidate is checked at.
func (p *program) shapes() (out []map[string]int) {
	kept, summed := p.dimsBySort()
	kept, batches := p.batchDims(kept)
	for i := range keptSizes[0] {
		sizes := map[string]int{}
		few, long := keptSizes, summedSizes
		if p.product != nil {
			few, long = sideSizes, termSizes
		}
		p.fillSizes(sizes, kept, few, i)
		p.fillSizes(sizes, batches, batchSizes, i)
		p.fillSizes(sizes, summed, long, i)
		p.halve(sizes, most)
		if i > 0 {
			p.lengthenFactors(sizes)
		}
		if !slices.ContainsFunc(out, func(other map[string]int) bool { return equalSizes(other, sizes) }) {
			out = append(out, sizes)
		}
	}
	return out
}

// batchDims takes those dims out that only tell how many products there are.
func (p *program) batchDims(dims []string) (others, batches []string) {
	if p.product == nil {
		return dims, nil
	}
	n := p.product.lengths
	sides := word.FindAllString(n[rowsAt]+" "+n[colsAt], -1)
	for _, d := range dims {
		if slices.Contains(word.FindAllString(n[batchesAt], -1), d) && !slices.Contains(sides, d) {
			batches = append(batches, d)
		} else {
			others = append(others, d)
		}
	}
	return others, batches
}

// leastFactor is how many numbers a factor of all outputs has: of small integers, so many are never all 0.
const leastFactor = 16

// lengthenFactors has each tensor that all outputs are multiples of, and that is read at more than one place, in more
// than a few numbers: were they all 0, a check could not tell anything.
func (p *program) lengthenFactors(sizes map[string]int) {
	at := Graph{sizes: sizes}
	for _, dim := range p.factorDims() {
		if n, err := at.size(dim); err == nil && n < leastFactor && sizes[dim] == n {
			sizes[dim] = leastFactor
		}
	}
}

// factorDims are the lengths of vectors that all numbers of an output are multiples of.
func (p *program) factorDims() (dims []string) {
	if !p.exact() || len(p.domain) == 1 {
		return nil
	}
	for _, o := range p.outputs {
		for _, v := range factors(o.value) {
			if v.kind == isLoad && len(v.axes) == 1 {
				dims = append(dims, p.domain[v.axes[0]].length)
			}
		}
	}
	return dims
}

// factors are what a value is a product of.
func factors(v *value) []*value {
	if v.kind != isOp || v.op.Name != "mul" {
		return []*value{v}
	}
	return append(factors(v.args[0]), factors(v.args[1])...)
}

// most is how many places a check shape has at most: a dim may be the length of several axes.
const most = 1 << 20

func equalSizes(a, b map[string]int) bool {
	for name, v := range a {
		if b[name] != v {
			return false
		}
	}
	return true
}

// fillSizes gives dims of one sort their i-th sizes; each dim begins elsewhere in the list.
func (p *program) fillSizes(sizes map[string]int, dims []string, lists [][]int, i int) {
	if len(dims) == 0 {
		return
	}
	list := lists[min(len(dims), len(lists))-1]
	for j, dim := range dims {
		at := i
		if i > 0 { // the first has ones only
			at = 1 + (i-1+3*j)%(len(list)-1)
		}
		sizes[dim] = max(list[at]*p.step(dim), p.leasts[dim])
	}
}

// dimsBySort are the dims that tell how many rows there are, and those that tell how long they are; the last dim of a
// domain without rows counts as their length.
func (p *program) dimsBySort() (kept, summed []string) {
	long := p.lengths(true)
	if len(long) == 0 {
		long = p.lengths(false)[len(p.domain)-1:]
	}
	if p.product != nil {
		long = p.product.lengths[termsAt:]
	}
	var names []string
	for _, text := range long {
		names = append(names, word.FindAllString(text, -1)...)
	}
	if len(p.sort(true)) == 0 && p.product == nil && len(names) > 1 {
		names = names[len(names)-1:]
	}
	for _, d := range p.graph.Dims {
		if slices.Contains(names, d.Name) {
			summed = append(summed, d.Name)
		} else {
			kept = append(kept, d.Name)
		}
	}
	return kept, summed
}

// farthest is up to where the least size of a dim is looked for.
const farthest = 4096

// halfRE is a length that is a part of a product of dims, as each of the pieces of a chunk.
var halfRE = regexp.MustCompile(`^\(?([\w* ]+?)\)? / (\d+)$`)

// findSteps has a product of dims divided without a remainder, where it would be 0 at the least sizes: its largest dim
// is a multiple of what it is divided by.
func (l *lowering) findSteps(list []string) {
	least := Graph{sizes: map[string]int{}}
	for _, d := range l.graph.Dims {
		least.sizes[d.Name] = max(l.leasts[d.Name], 1)
	}
	for _, text := range list {
		m := halfRE.FindStringSubmatch(strings.TrimSpace(text))
		if v, err := least.size(text); m == nil || err != nil || v > 0 {
			continue
		}
		by, _ := strconv.Atoi(m[2])
		largest := ""
		for _, d := range word.FindAllString(m[1], -1) {
			if n := l.graph.sizes[d]; by > 0 && n > 0 && n%by == 0 && n > l.graph.sizes[largest] {
				largest = d
			}
		}
		if largest != "" && l.step(largest)%by != 0 {
			l.steps[largest] = l.step(largest) * by
		}
	}
}

// findLeasts finds how large dims must be for all lengths to be 1 or more: lengths grow with dims.
func (l *lowering) findLeasts() {
	list := append(l.sizeTexts(), l.spans()...)
	for _, o := range l.outputs {
		list = append(list, texts(l.outputShape(o))...)
	}
	defer l.findSteps(list)
	for _, d := range l.graph.Dims {
		g := Graph{sizes: maps.Clone(l.graph.sizes)}
		for _, text := range list {
			if !slices.Contains(word.FindAllString(text, -1), d.Name) {
				continue
			}
			for g.sizes[d.Name] = max(l.leasts[d.Name], 1); g.sizes[d.Name] < farthest; g.sizes[d.Name]++ {
				if v, err := g.size(text); err == nil && v >= 1 {
					break
				}
			}
			l.leasts[d.Name] = max(l.leasts[d.Name], g.sizes[d.Name])
		}
	}
}
