package cases

import (
	"maps"
	"math/bits"
	"slices"

	"darwarp/kernels"
)

// longDim is from where on a dim is long enough to be worked on in many steps.
const longDim = 1 << 8

// steps draws, for each dim of a workload, sizes in which it is a step shorter or longer, of 16 to 128 numbers, and the
// others are small: loops of two steps at a time, and rings that are handed from tile to tile, are right for an even
// number of them.
func (d *drawer) steps(w kernels.Dims) (list []kernels.Dims) {
	for _, dim := range d.p.DimNames {
		r := d.p.Range(dim)
		for step := 16 * r.Step; len(r.Values) == 0 && w[dim] >= longDim && step <= 128*r.Step; step *= 2 {
			long := w[dim] + step
			if long > r.Most || d.rng.IntN(2) == 0 {
				long = max(w[dim]-step, r.Step)
			}
			if size := d.beside(w, dim, long); d.shrink(size, []string{dim}) {
				list = append(list, size)
			}
		}
	}
	return list
}

// beside is a size in which one dim is long, and the others are small, or as in a workload where that is less.
func (d *drawer) beside(w kernels.Dims, dim string, long int) kernels.Dims {
	size := maps.Clone(w)
	for _, other := range d.p.DimNames {
		if o := d.p.Range(other); len(o.Values) == 0 {
			size[other] = min(w[other], max(lineCount+d.rng.IntN(lineCount), o.Step)/o.Step*o.Step)
		}
	}
	size[dim] = long
	return size
}

// mostPairs is how many pairs of dims are tried as short as they can be.
const mostPairs = 8

// pairs draws sizes in which two dims are as short as they can be and all others are not: a plane of one number may
// have code of its own, and in a size in which every dim is 1 what that does is seldom seen.
func (d *drawer) pairs() (list []kernels.Dims) {
	var names []string
	for _, dim := range d.p.DimNames {
		if len(d.p.Range(dim).Values) == 0 {
			names = append(names, dim)
		}
	}
	if len(names) < 3 {
		return nil
	}
	var all []kernels.Dims
	for i, one := range names {
		for _, other := range names[i+1:] {
			all = append(all, d.least(one, other))
		}
	}
	for _, i := range d.rng.Perm(len(all)) {
		if _, ok := d.work(all[i]); ok && len(list) < mostPairs {
			list = append(list, all[i])
		}
	}
	return list
}

// least is a small size in which some dims are as short as they can be, and no others.
func (d *drawer) least(dims ...string) kernels.Dims {
	size := kernels.Dims{}
	for _, dim := range d.p.DimNames {
		r := d.p.Range(dim)
		switch {
		case len(r.Values) > 0:
			size[dim] = r.Values[d.rng.IntN(len(r.Values))]
		case slices.Contains(dims, dim):
			size[dim] = r.Step
		default:
			size[dim] = max(min((2+d.rng.IntN(lineCount/2))*r.Step, r.Most), r.Step)
		}
	}
	return size
}

// near draws, for each dim of a workload, sizes in which this dim is as in the workload, one more than whole tiles, or
// a little more or less, and the others are small. A kernel that does something special at the sizes that are scored
// meets hard inputs there.
func (d *drawer) near(w kernels.Dims) []kernels.Dims {
	var list []kernels.Dims
	for _, dim := range d.p.DimNames {
		r := d.p.Range(dim)
		if len(r.Values) > 0 || w[dim] <= 2*lineCount {
			continue
		}
		for _, long := range []int{w[dim], pastTiles(r, w[dim]), w[dim] + d.delta(r, w[dim])} {
			if size := d.beside(w, dim, long); d.shrink(size, []string{dim}) {
				list = append(list, size)
			}
		}
	}
	return list
}

// largestTile is the most numbers of a dim that are usually worked on together.
const largestTile = 1 << 10

// pastTiles is one more than whole tiles, near a size: the last tile has a single number.
func pastTiles(r kernels.Range, size int) int {
	tile := min(largestTile, 1<<max(bits.Len(uint(size/r.Step))-2, 0)) * r.Step
	past := size/tile*tile + r.Step
	if r.Step > 1 {
		past = min(past, r.Most)
	}
	return past
}

// neighbor is the workload with every dim a little more or less: what is right at the workload, and where one of its
// dims is far smaller, may still be wrong at all other sizes as large.
func (d *drawer) neighbor(w kernels.Dims) (kernels.Dims, bool) {
	size, moved := maps.Clone(w), false
	for _, dim := range d.p.DimNames {
		if r := d.p.Range(dim); len(r.Values) == 0 && r.Step < r.Most && w[dim] > 2*lineCount {
			size[dim] += d.delta(r, size[dim])
			moved = moved || size[dim] != w[dim]
		}
	}
	_, ok := d.work(size)
	return size, ok && moved
}

// delta is a small difference to a size, up or down: one, or a vector, or less than a tile. Where sizes are multiples
// of more than one, none leads out of the range.
func (d *drawer) delta(r kernels.Range, size int) int {
	by := []int{1, 1, 2, 4, 8, 16}[d.rng.IntN(6)] * r.Step
	if d.rng.IntN(2) == 0 {
		by = -by
	}
	if r.Step > 1 {
		by = min(max(size+by, r.Step), r.Most) - size
	}
	return by
}
