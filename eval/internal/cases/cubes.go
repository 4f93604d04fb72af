package cases

import (
	"math"
	"math/bits"

	"darwarp/kernels"
)

// cubes draws sizes of which all dims are of one kind. In three all are the same as far as they may be: whole tiles, of
// 512 or of 96, 128 and 256, an odd number, and one less than whole tiles. What is done for tiles of which none is
// ragged, for squares, or where all lack a number is done there. In the fourth each dim is a multiple of 3, 5 and 7:
// what depends on one of these in one dim and on another in the next shows there. In the others each dim is one part of
// a tile after the other.
func (d *drawer) cubes() (list []kernels.Dims) {
	whole, odd := 512, min(lineCount+d.rng.IntN(drawnSize/8), d.most()-1)|1
	if d.rng.IntN(2) == 0 && 768 <= d.most() {
		whole = 768
	}
	same := func(n int) func(kernels.Range) int { return func(kernels.Range) int { return n } }
	for _, n := range []func(kernels.Range) int{same(whole), same(odd), same(d.short()), d.sevens} {
		if size, ok := d.cube(n); ok {
			list = append(list, size)
		}
	}
	less := d.less()
	for _, n := range d.parts() {
		if size, ok := less.cube(n); ok {
			list = append(list, size)
		}
	}
	return list
}

// lessShare is the part of the bound in work that a size takes which is drawn for its kind alone.
const lessShare = 32

// less draws the same with less work.
func (d *drawer) less() *drawer {
	bound := *d
	bound.cap = max(d.cap/lessShare, min(d.cap, wideLeast))
	return &bound
}

// short is one less than a tile, of 16 to 128, as large as there is room for in all dims.
func (d *drawer) short() int {
	bound := *d
	for tile := 64 << d.rng.IntN(2); tile > 16; tile /= 2 {
		bound.cap = math.Inf(1)
		size, ok := bound.cube(func(kernels.Range) int { return tile - 1 })
		if work, _ := d.work(size); ok && work <= d.cap && tile <= d.most() {
			return tile - 1
		}
	}
	return 15
}

// allShort tells whether all dims of a size that may be anything are one less than a tile of 16 to 128.
func (d *drawer) allShort(size kernels.Dims) bool {
	free := 0
	for _, dim := range d.p.DimNames {
		if r := d.p.Range(dim); r.Step == 1 && len(r.Values) == 0 {
			if n := size[dim] + 1; n < 16 || n > 128 || bits.OnesCount(uint(n)) != 1 {
				return false
			}
			free++
		}
	}
	return free > 0
}

// partial are the parts of a tile of 128, in sixteens, that aligned has one of four of.
var partial = []int{1, 3, 5, 7}

// parts draw dims that end with a part of a tile of 64 or 128, of a few vectors: by turns each dim has each of these.
func (d *drawer) parts() (list []func(kernels.Range) int) {
	for i := range partial {
		turn := i
		list = append(list, func(r kernels.Range) int {
			turn++
			return (128*d.rng.IntN(2) + 16*partial[turn%len(partial)]) * r.Step
		})
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
