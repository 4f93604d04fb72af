package cases

import (
	"math/bits"
	"slices"

	"darwarp/kernels"
)

// shrink makes a size small enough, keeping its alignment as far as it goes and the dims in keep as they are. False: it
// is not possible, or the problem does not allow the size.
func (d *drawer) shrink(size kernels.Dims, keep []string) bool {
	for {
		work, ok := d.work(size)
		if !ok || work <= d.cap && (d.room == 0 || d.elems(size) <= d.room) {
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

// smaller is the next smaller multiple of step: with a smaller odd factor, which keeps its last 3, 5 or 7 as long as
// there is another, else half of it.
func smaller(size, step int) int {
	times := size / step
	unit := 1 << bits.TrailingZeros(uint(times))
	odd := times / unit
	for _, f := range []int{7, 5, 3} {
		if rest := odd / f; odd%f == 0 && rest > 1 {
			return step * unit * f * ((rest / 2) | 1)
		}
	}
	if odd > 1 {
		return step * unit * ((odd / 2) | 1)
	}
	return step * (times / 2)
}

// work is what a size takes, in operations and elements. ok says that the problem has such a size.
func (d *drawer) work(size kernels.Dims) (work float64, ok bool) {
	flops, _, err := d.p.Work(size, d.t)
	if err == nil {
		_, err = d.p.Buffers(size, d.t)
	}
	if err == nil {
		_, err = d.p.Reduction(size, d.t)
	}
	if err == nil {
		_, err = d.p.ReferenceLaunch(size, d.t)
	}
	if err != nil {
		return 0, false
	}
	return max(d.elems(size), flops), true
}

// elems are the elements of all tensors of a size that the problem has.
func (d *drawer) elems(size kernels.Dims) (n float64) {
	bufs, _ := d.p.Buffers(size, d.t)
	for _, b := range bufs {
		n += float64(b.Elems())
	}
	return n
}
