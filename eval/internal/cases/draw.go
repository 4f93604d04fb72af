package cases

import (
	"math"
	"math/bits"
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

	loads []kernels.Workload // that are scored
	long  float64            // up to which a dim is drawn that is long

	thirds int // multiples of 2^power where power is odd, or even, are multiples of three as well
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
		if d.shrink(size, nil) {
			list = append(list, size)
		}
	}
	return list
}

// cubes draws two sizes whose dims are all the same as far as they may be: whole tiles, of 128 or of 96 and 128, and an
// odd number. What is done for tiles of which none is ragged, or for squares, is done there.
func (d *drawer) cubes() []kernels.Dims {
	most := math.MaxInt32
	for _, dim := range d.p.DimNames {
		if r := d.p.Range(dim); len(r.Values) == 0 {
			most = min(most, r.Most)
		}
	}
	whole, odd := 1<<(alignments-1), min(lineCount+d.rng.IntN(drawnSize/8), most-1)|1
	if d.rng.IntN(2) == 0 && 3*whole <= most {
		whole *= 3
	}
	var list []kernels.Dims
	for _, n := range []int{whole, odd} {
		size := kernels.Dims{}
		for _, dim := range d.p.DimNames {
			r := d.p.Range(dim)
			if size[dim] = d.few(r); len(r.Values) == 0 {
				size[dim] = max(r.Step, min(n, r.Most)/r.Step*r.Step)
			}
		}
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

// spans are what a dim of up to most is drawn from that is far from its usual sizes: one, a handful, thousands, and
// more where there is more. One is drawn three times: a single line is of a single class, which may be one that shows
// nothing.
func (d *drawer) spans(most float64) [][2]float64 {
	list := [][2]float64{{1, 2}, {1, 2}, {1, 2}, {2, 17}, {thousands, d.long}}
	if d.long >= longest && most > longest {
		list = append(list, [2]float64{longest, most}, [2]float64{longest, min(most, d.cap/(longShare*manyLines))})
	}
	return list
}

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
			size := kernels.Dims{}
			for _, other := range d.p.DimNames {
				size[other] = d.few(d.p.Range(other))
			}
			v := span[0] * math.Pow(max(span[1]/span[0], 1), d.rng.Float64())
			size[dim] = max(r.Step, min(int(v), r.Most)/r.Step*r.Step)
			bound := *d
			if span[0] >= longest { // millions of numbers, not billions
				bound.cap /= longShare
			}
			if bound.shrink(size, []string{dim}) {
				list = append(list, size)
			}
		}
	}
	return list
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
	times := 1 + 2*d.rng.IntN(max(1, drawnSize/2>>power)) // odd
	if power == alignments-1 {
		times = 1 + d.rng.IntN(drawnSize>>power)
	}
	times = min(times, (r.Most/unit-1)|1)
	third := max(1, (times/3-1)|1)
	if power%2 == d.thirds && unit*3*third <= r.Most { // tiles of 24, 48 and 96 are full there
		times = 3 * third
	}
	return unit * times
}

// shrink makes a size small enough, keeping its alignment as far as it goes and the dims in keep as they are. False: it
// is not possible, or the problem does not allow the size.
func (d *drawer) shrink(size kernels.Dims, keep []string) bool {
	for {
		work, ok := d.work(size)
		if !ok || work <= d.cap {
			return ok
		}
		largest := ""
		for _, dim := range d.p.DimNames {
			if r := d.p.Range(dim); len(r.Values) == 0 && !slices.Contains(keep, dim) && size[dim] > r.Step &&
				size[dim] > size[largest] {
				largest = dim
			}
		}
		if largest == "" {
			return false
		}
		size[largest] = smaller(size[largest], d.p.Range(largest).Step)
	}
}

// smaller is the next smaller multiple of step: with a smaller odd factor, else half of it.
func smaller(size, step int) int {
	times := size / step
	unit := 1 << bits.TrailingZeros(uint(times))
	if odd := times / unit; odd > 1 {
		return step * unit * ((odd / 2) | 1)
	}
	return step * (times / 2)
}

// work is what a size takes, in operations and elements. ok says that the problem has such a size.
func (d *drawer) work(size kernels.Dims) (work float64, ok bool) {
	flops, _, err := d.p.Work(size, d.t)
	if err != nil {
		return 0, false
	}
	bufs, err := d.p.Buffers(size, d.t)
	if err != nil {
		return 0, false
	}
	for _, b := range bufs {
		work += float64(b.Elems())
	}
	_, err = d.p.Reduction(size, d.t)
	if err == nil {
		_, err = d.p.ReferenceLaunch(size, d.t)
	}
	return max(work, flops), err == nil
}

// lineCount is how long the dims are that are not at issue: so many lines, or a few more, that each of many classes
// occurs.
const lineCount = 18
