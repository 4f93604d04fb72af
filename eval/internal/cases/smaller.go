package cases

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"darwarp/kernels"
)

// within is a size of no more than so many operations, as far as the dims that no sum runs over make it one.
func (w *Wanted) within(size kernels.Dims, work float64) kernels.Dims {
	return w.halvedTo(size, w.apart(), work)
}

// halvedTo halves the largest of some dims until a size takes no more than so many operations, or an output has no more
// than a square of Effort.lines.
func (w *Wanted) halvedTo(size kernels.Dims, dims []string, most float64) kernels.Dims {
	d := &drawer{p: w.Problem, t: w.DType}
	for work, _ := d.work(size); work > most && w.outputs(size) > w.Effort.lines*w.Effort.lines; work, _ = d.work(size) {
		less, changed := w.halved(size, dims)
		if _, ok := d.work(less); !ok || !changed {
			break
		}
		size = less
	}
	return size
}

// apart lists the dims that no sum runs over and that may be smaller.
func (w *Wanted) apart() []string {
	return slices.DeleteFunc(slices.Clone(w.Problem.DimNames), func(dim string) bool {
		return len(w.Problem.Range(dim).Values) > 0 || w.Problem.Sums(dim)
	})
}

// outputs is how many elements the smallest output has at a size.
func (w *Wanted) outputs(size kernels.Dims) int {
	bufs, err := w.Problem.Buffers(size, w.DType)
	if err != nil {
		return 0
	}
	least := math.MaxInt
	for _, b := range bufs {
		if b.Out {
			least = min(least, b.Elems())
		}
	}
	return least
}

// halved is a size whose largest dim of those listed is half as long. False: all are as short as they may be.
func (w *Wanted) halved(size kernels.Dims, dims []string) (kernels.Dims, bool) {
	if len(dims) == 0 {
		return size, false
	}
	largest := slices.MaxFunc(dims, func(a, b string) int { return cmp.Compare(size[a], size[b]) })
	less, step := maps.Clone(size), w.Problem.Range(largest).Step
	less[largest] = max(size[largest]/2/step*step, step)
	return less, less[largest] < size[largest]
}
