// Package cases makes the inputs that candidates are judged on: sizes, some of them drawn for each session; classes of
// numbers; and the proof that a check can tell right from wrong on them.
package cases

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

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
	begun map[device.Beginning]bool
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
	return &Set{want: w, Banks: map[string][]int{}, Trials: map[string][]int{}, begun: map[device.Beginning]bool{},
		GuardKey: w.RNG.Uint64(), Atomics: w.Problem.Check.Atomics, terms: device.TermsOf(w.Problem), mix: w.mixed()}
}

// addShapes adds the check shapes that the effort allows, or the least of them.
func (s *Set) addShapes() error {
	p, t, e := s.want.Problem, s.want.DType, s.want.Effort
	large := largest(p, t, e.classes)
	for i, d := range p.Check.Shapes {
		if s.late(i) {
			continue
		}
		classes := s.want.Ordinary(i == large)
		if i == large && e.alone {
			classes = append(classes, s.want.Hard()...)
		}
		for _, class := range classes {
			if err := s.Add(device.Case{Dims: d, Class: class}); err != nil {
				return err
			}
		}
		if i == large && e.alone {
			if err := s.addOthers(device.Case{Dims: s.manyLines(d)}, s.Add); err != nil {
				return err
			}
		}
	}
	return nil
}

// addDrawn adds the sizes that are drawn for every candidate, as many as the effort allows.
func (s *Set) addDrawn() error {
	e, rng := s.want.Effort, s.want.RNG
	d := &drawer{p: s.want.Problem, t: s.want.DType, rng: rng, cap: e.drawn, loads: s.want.Workloads, long: e.long,
		odd: oddFactors(rng)}
	var near []kernels.Dims
	for _, w := range s.want.Workloads {
		near = append(append(near, d.near(w.Dims)...), d.derived(w.Dims)...)
	}
	rng.Shuffle(len(near), func(i, j int) { near[i], near[j] = near[j], near[i] })
	d.cap, d.room = e.drawn/alignedShare, drawnElems
	seen, left, elems := map[string]bool{}, e.drawn*drawnTotal, float64(drawnElems*drawnSizes)
	mixed, rare := slices.Concat(d.aligned(), d.scales(), d.cubes()), d.upper()
	for i, size := range slices.Concat(mixed, rare, near[:min(len(near), mostDrawn)]) {
		name := sizeName(d.p, size)
		work, _ := d.work(size)
		if seen[name] || work > left || d.elems(size) > elems || s.bytes > e.memory/drawnMemory {
			continue
		}
		if ok, err := s.want.fits(size); err != nil {
			return err
		} else if !ok {
			continue
		}
		seen[name], left, elems = true, left-work, elems-d.elems(size)
		class := device.Mixed
		if i >= len(mixed) && i < len(mixed)+len(rare) {
			class = device.Rare
		}
		if err := s.Add(device.Case{Dims: size, Class: class}); err != nil {
			return err
		}
	}
	return nil
}

// addWorkload adds the bank of a scored size and its trial classes, as far as the effort goes.
func (s *Set) addWorkload(w kernels.Workload) error {
	p, e, proved := s.want.Problem, s.want.Effort, s.want.Powers[w.Name]
	flops, _, err := p.Work(w.Dims, s.want.DType)
	if err != nil {
		return err
	}
	at := device.Case{Workload: w.Name, Dims: w.Dims, Class: cmp.Or(proved.Bank, p.Check.Inputs[0])}
	for i := range bankSize {
		at.Trial = i >= seedsPerWorkload
		if at.Trial && (flops*float64(i+1) > e.bank || s.full()) {
			break
		}
		if err := s.addTo(s.Banks, w, at); err != nil {
			return err
		}
	}
	if err := s.addWhole(w, proved.Whole); err != nil {
		return err
	}
	if proved.Tails {
		if err := s.Add(device.Case{Workload: w.Name, Dims: w.Dims, Class: kernels.Needles}); err != nil {
			return err
		}
	}
	if flops > e.trial {
		return nil
	}
	return s.addTrials(w, at.Class, proved, flops)
}

// addTo adds a case of a workload to one of its lists.
func (s *Set) addTo(list map[string][]int, w kernels.Workload, c device.Case) error {
	list[w.Name] = append(list[w.Name], len(s.List))
	return s.Add(c)
}

// addTrials adds the trial cases of a scored size for which there is room, and its peaks.
func (s *Set) addTrials(w kernels.Workload, bank string, proved Power, flops float64) error {
	trials, err := s.trialCases(w, bank, proved)
	if err != nil {
		return err
	}
	for _, c := range trials {
		if s.full() {
			break
		}
		if err := s.addTo(s.Trials, w, c); err != nil {
			return err
		}
	}
	peaks, err := s.peaks(w, flops)
	if err != nil {
		return err
	}
	for _, c := range peaks[:min(len(peaks), max(0, mostCases-len(s.List)))] {
		if err := s.addTo(s.Trials, w, c); err != nil {
			return err
		}
		s.bytes -= c.ArenaBytes() // they share the arena of the workload's other trial cases
	}
	return nil
}

// trialCases are a scored size's trial cases: of every class but its bank's that suits it, and one of a size nearby.
// Where the truth takes long the classes share the scored size, line by line and in stripes, and each alone is run with
// the dims made smaller that no sum runs over.
func (s *Set) trialCases(w kernels.Workload, bank string, proved Power) (list []device.Case, err error) {
	at := device.Case{Workload: w.Name, Dims: w.Dims, Trial: true}
	alone := at
	alone.Dims = s.want.within(w.Dims, s.want.Effort.whole)
	if ok, err := s.want.fits(alone.Dims); err != nil {
		return nil, err
	} else if !ok {
		alone.Dims = w.Dims
	}
	if !maps.Equal(alone.Dims, w.Dims) {
		alone.Workload, at.Class = "", device.Striped
		list = append(list, at)
	}
	for _, class := range append(append(s.want.Ordinary(true), s.want.Hard()...), device.Mixed, device.Rare) {
		c := alone
		if device.ByLine(class) {
			c = at
		}
		if c.Class = class; class != bank && !slices.Contains(proved.Unfit, class) &&
			!(proved.Tails && class == kernels.Needles) {
			list = append(list, c)
		}
	}
	agreed, err := s.agreedAt(w, at)
	if err != nil {
		return nil, err
	}
	list = append(append(list, agreed...), s.loneAt(alone)...)
	others, keep := alone, func(c device.Case) error { list = append(list, c); return nil }
	if err := s.addOthers(others, keep); err != nil {
		return nil, err
	}
	d := &drawer{p: s.want.Problem, t: s.want.DType, rng: s.want.RNG}
	size, ok := d.neighbor(w.Dims)
	if ok {
		ok, err = s.want.fits(size)
	}
	if ok {
		list = append(list, device.Case{Dims: size, Class: device.Mixed, Trial: true})
	}
	return append(list, s.stepCases(w)...), err
}

// stepCases are trial cases near a scored size that are a step shorter or longer.
func (s *Set) stepCases(w kernels.Workload) (list []device.Case) {
	d := &drawer{p: s.want.Problem, t: s.want.DType, rng: s.want.RNG, cap: s.want.Effort.drawn}
	for _, size := range d.steps(w.Dims) {
		if ok, err := s.want.fits(size); err == nil && ok {
			list = append(list, device.Case{Dims: size, Class: device.Mixed, Trial: true})
		}
	}
	return list
}

// full reports whether there is no room for more trial cases.
func (s *Set) full() bool { return s.bytes > s.want.Effort.memory || len(s.List) >= mostCases }
