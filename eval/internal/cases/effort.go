package cases

import (
	"math"
	"slices"

	"darwarp/kernels"
)

// Effort bounds what is run. The bounds are operations, if nothing else is said.
type Effort struct {
	shape     float64 // of a check shape
	late      float64 // of a check shape that takes more than shape: it is for trials, as larger drawn ones. 0: none is
	classes   float64 // of a check shape that is run on every input class
	drawn     float64 // of a size that is drawn
	bank      float64 // of all sets of a workload together
	trial     float64 // of a workload that is run on trial classes
	whole     float64 // of one that is run on each of them alone
	memory    int     // bytes up to which trial cases are added
	lines     int     // of terms, on which the check's power is proved
	omissions int     // parts of them that are left out, beside the first and the last
	alone     bool    // hard classes are run each on its own, too
	long      float64 // up to which a dim is drawn that is long
	narrow    bool    // sums are also kept in types narrower than fp32, which overflow where inputs are huge
}

// trialShare is the part of a GPU's memory, one in so many, that is for trial cases.
const trialShare = 3

// OnGPU is the effort of a device with so many bytes of memory.
func OnGPU(memory int) Effort {
	return Effort{shape: math.Inf(1), classes: math.Inf(1), drawn: 1e10, bank: 1e13, trial: math.Inf(1), whole: 1e11,
		memory: memory / trialShare, lines: 64, omissions: 4, alone: true, long: 1 << 16}
}

// Emulated is the effort of the cpu device. Emulated threads are slow by orders of magnitude; shapes of a few tiles
// show what they can.
func Emulated() Effort {
	return Effort{shape: 5e6, late: 5e7, classes: 1e6, drawn: 1e5, bank: 4e7, trial: 1e7, whole: math.Inf(1),
		memory: 1 << 30, lines: 16, omissions: 1, long: 1 << 16}
}

// Told is the effort where a module tells the truth: a process computes each case some twenty times over.
func Told(memory int) Effort {
	return Effort{shape: 1e8, classes: 1e7, drawn: 1e6, bank: 1e9, trial: 1e8, whole: math.Inf(1),
		memory: min(memory/trialShare, mostTold), lines: 16, omissions: 1, long: 1 << 12}
}

// mostTold bounds the cases that a module tells the truth of, in bytes: truth and inputs are in the machine's memory.
const mostTold = 4 << 30

// shortLong is how long a dim gets for candidates that are emulated beside a GPU, where they have run with longer ones:
// blocks of whole tiles made these sizes half of what ten orders took.
const shortLong = 1 << 11

// Beside is the effort of the cpu device beside a GPU.
func Beside() Effort {
	e := Emulated()
	e.long = shortLong
	return e
}

// For is the effort where sums are kept in these types.
func (e Effort) For(acc []kernels.DType) Effort {
	e.narrow = slices.ContainsFunc(acc, func(t kernels.DType) bool {
		return t.Roundoff() > kernels.FP32.Roundoff() && t != kernels.FP22 // which has the range of fp32
	})
	return e
}

// largest is the check shape with the most arithmetic within the bound, the least one where none is.
func largest(p *kernels.Problem, t kernels.DType, bound float64) int {
	within, least := -1, 0
	work := make([]float64, len(p.Check.Shapes))
	for i, d := range p.Check.Shapes {
		flops, _, err := p.Work(d, t)
		if err != nil {
			continue
		}
		work[i] = flops
		if flops <= bound && (within < 0 || flops > work[within]) {
			within = i
		}
		if flops < work[least] {
			least = i
		}
	}
	if within < 0 {
		return least
	}
	return within
}
