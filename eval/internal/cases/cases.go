// Package cases makes the inputs that candidates are judged on: sizes, some of them drawn for each session; classes of
// numbers; and the proof that a check can tell right from wrong on them.
package cases

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// A scored size has a bank of input sets. Every candidate is gated on the first of them, and its timed
// launches alternate between these; the others are for launches that must not have seen their inputs before.
const (
	seedsPerWorkload = 2
	bankSize         = 8
	mostCases        = 400     // beyond, there are no more trial cases
	mostDrawn        = 32      // sizes near workloads
	drawnTotal       = 6       // all sizes that are drawn take no more than so many times what one may
	drawnMemory      = 4       // none is added where the sizes before take more than a part in so many of Effort.memory
	alignedShare     = 4       // and one that is not near a workload a part in so many
	drawnElems       = 1 << 26 // elements of one that is not near a workload: a cache of keys has few operations for each
	drawnSizes       = 16      // all sizes that are drawn have no more elements than so many of these
)

// Wanted is what a case list is made for.
type Wanted struct {
	Problem   *kernels.Problem
	DType     kernels.DType
	Workloads []kernels.Workload
	Effort    Effort
	Powers    map[string]Power // by workload; none: the first class of the problem is as good as any
	RNG       *rand.Rand       // of sizes and seeds
	// Fits reports whether there is a truth at some sizes, where that cannot be known from the problem; nil: there is
	Fits func(kernels.Dims) (bool, error)
}

// fits reports whether there is a truth at some sizes.
func (w *Wanted) fits(size kernels.Dims) (bool, error) {
	if w.Fits == nil {
		return true, nil
	}
	return w.Fits(size)
}

// Set is the inputs that candidates of a run are judged on, with where their truth lies in the shared memory.
type Set struct {
	List       []device.Case
	Banks      map[string][]int // of workloads; all but the first seedsPerWorkload are trial cases
	Trials     map[string][]int // the other input classes at a workload: trial cases all
	TruthBytes int
	Atomics    bool // outputs of timed launches go to the judge
	GuardKey   uint64

	bytes int // device memory that the buffers of all cases take
	begun map[device.Beginning]int
	want  Wanted
	terms []device.Terms
	mix   [][]string // classes of the lines of mixed cases, by input

	specials int // cases so far in which inf and NaN are where all lines have outputs in common
	only     int // mixed ones so far in which the first input is an only line
}

// Seeds are the sets of a workload's bank that every candidate is gated on.
func (s *Set) Seeds(workload string) []int {
	bank := s.Banks[workload]
	return bank[:min(len(bank), seedsPerWorkload)]
}

// Gated are the cases that every candidate is judged on.
func (s *Set) Gated() []int {
	var list []int
	for i := range s.List {
		if !s.List[i].Trial {
			list = append(list, i)
		}
	}
	return list
}

// New makes the list. For every candidate: every check shape on exact inputs, where a wrong index or a dropped
// term changes an integer for certain; the largest of them on every input class, where precision shows; sizes drawn for
// this session on inputs of all classes, line by line; and each workload on seedsPerWorkload ordinary inputs, and on
// needles where these could hide a forgotten tail. A problem without
// an exact test has every check shape on ordinary inputs instead. For who would reign: the rest of each workload's
// bank, every other input class at each workload, and a size near it.
func New(w Wanted) (*Set, error) {
	s := Empty(w)
	if err := s.addShapes(); err != nil {
		return nil, err
	}
	if err := s.addDrawn(); err != nil {
		return nil, err
	}
	for _, load := range w.Workloads {
		if err := s.addWorkload(load); err != nil {
			return nil, fmt.Errorf("workload %s: %w", load.Name, err)
		}
	}
	if len(w.Workloads) == 0 {
		return s, nil
	}
	return s, errors.Join(s.addLone(w.Workloads[0]), s.addLarger(w.Workloads[0]))
}

// Empty is a list that is empty so far.
func Empty(w Wanted) *Set {
	return &Set{want: w, Banks: map[string][]int{}, Trials: map[string][]int{}, begun: map[device.Beginning]int{},
		GuardKey: w.RNG.Uint64(), Atomics: w.Problem.Check.Atomics, terms: device.TermsOf(w.Problem), mix: w.mixed()}
}
