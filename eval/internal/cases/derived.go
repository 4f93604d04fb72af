package cases

import (
	"strings"

	"darwarp/kernels"
)

// derived draws sizes in which an axis that a tensor makes of a dim, as half of its columns or its groups of 32, is one
// more than whole tiles, and the other dims are small. Threads are numbered along such axes, too: what is alone in its
// tile there is alone at other sizes than those in which a dim itself is one more than whole tiles.
func (d *drawer) derived(w kernels.Dims) (list []kernels.Dims) {
	seen := map[[2]string]bool{}
	for tensor, t := range d.p.Tensors {
		for axis, text := range t.Shape {
			for _, dim := range d.p.DimNames {
				key := [2]string{text, dim}
				if strings.TrimSpace(text) == dim || seen[key] || len(d.p.Range(dim).Values) > 0 {
					continue
				}
				seen[key] = true
				size := d.pastTilesOf(d.beside(w, dim, w[dim]), dim, tensor, axis)
				if size != nil && d.shrink(size, []string{dim}) {
					list = append(list, size)
				}
			}
		}
	}
	return list
}

// derivedTries is how many steps of a dim away from its guess a size is looked for.
const derivedTries = 8

// pastTilesOf is a size near another that differs in one dim, with which an axis of a tensor is one more than whole
// tiles; nil: the axis is short, or does not depend on the dim, or is never that.
func (d *drawer) pastTilesOf(size kernels.Dims, dim string, tensor, axis int) kernels.Dims {
	r, from := d.p.Range(dim), size[dim]
	long := d.axis(size, tensor, axis)
	size[dim] = max(r.Step, from/2/r.Step*r.Step)
	if half := d.axis(size, tensor, axis); long <= lineCount || half == long || half == 0 {
		return nil
	}
	for _, near := range []int{long, long - 1} { // what the first leads to may be more than the dim may be
		want := pastTiles(kernels.Range{Step: 1}, near)
		guess := int(float64(from) * float64(want) / float64(long))
		for off := range 2*derivedTries + 1 {
			size[dim] = (guess/r.Step + off - derivedTries) * r.Step
			if size[dim] >= r.Step && size[dim] <= r.Most && d.axis(size, tensor, axis) == want {
				return size
			}
		}
	}
	return nil
}

// axis is how long an axis of a tensor is at some sizes; 0: the problem has no such size.
func (d *drawer) axis(size kernels.Dims, tensor, axis int) int {
	buffers, err := d.p.Buffers(size, d.t)
	if err != nil {
		return 0
	}
	return buffers[tensor].Shape[axis]
}
