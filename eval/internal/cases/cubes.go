package cases

import (
	"math"

	"darwarp/kernels"
)

// cubes draws three sizes. In two all dims are the same as far as they may be: whole tiles, of 512 or of 96, 128 and
// 256, and an odd number. What is done for tiles of which none is ragged, or for squares, is done there. In the third
// each dim is a multiple of 3, 5 and 7: what depends on one of these in one dim and on another in the next shows there.
func (d *drawer) cubes() (list []kernels.Dims) {
	whole, odd := 512, min(lineCount+d.rng.IntN(drawnSize/8), d.most()-1)|1
	if d.rng.IntN(2) == 0 && 768 <= d.most() {
		whole = 768
	}
	same := func(n int) func(kernels.Range) int { return func(kernels.Range) int { return n } }
	for _, n := range []func(kernels.Range) int{same(whole), same(odd), d.sevens} {
		if size, ok := d.cube(n); ok {
			list = append(list, size)
		}
	}
	return list
}

// most is the least of what the dims may be at most that are no choice of few values.
func (d *drawer) most() int {
	most := math.MaxInt32
	for _, dim := range d.p.DimNames {
		if r := d.p.Range(dim); len(r.Values) == 0 {
			most = min(most, r.Most)
		}
	}
	return most
}

// sevens draws a multiple of 3, 5 and 7.
func (d *drawer) sevens(r kernels.Range) int {
	const all, most = 3 * 5 * 7, 3 * 5 * 7 * 8
	n := all * r.Step << d.rng.IntN(4)
	for n > most && n > all*r.Step {
		n /= 2
	}
	return n
}

// cube draws a size whose dims are as large as that says, as far as they may be. False: the problem has none.
func (d *drawer) cube(n func(kernels.Range) int) (kernels.Dims, bool) {
	size := kernels.Dims{}
	for _, dim := range d.p.DimNames {
		r := d.p.Range(dim)
		if size[dim] = d.few(r); len(r.Values) == 0 {
			size[dim] = max(r.Step, min(n(r), r.Most)/r.Step*r.Step)
		}
	}
	d.modes(size)
	return size, d.shrink(size, nil)
}
