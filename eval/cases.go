package eval

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

// A scored size has a bank of input sets. Every candidate is gated on the first of them, and its timed
// launches alternate between these; the others are for launches that must not have seen their inputs before.
const (
	seedsPerWorkload = 2
	bankSize         = 8
	trialShare       = 3 // of a GPU's memory one part in so many is for trial cases
)

// caseSet is the inputs that candidates of a run are judged on, with where their truth lies in the
// shared memory.
type caseSet struct {
	cases    []gpu.Case
	byLoad   map[string][]int // a workload's bank; all but the first seedsPerWorkload are trial cases
	trials   map[string][]int // the other input classes at a workload: trial cases all
	bytes    int              // device memory that the buffers of all cases take
	truth    int              // bytes
	guardKey uint64
}

// seeds are the sets of a workload's bank that every candidate is gated on.
func (s *caseSet) seeds(workload string) []int {
	bank := s.byLoad[workload]
	return bank[:min(len(bank), seedsPerWorkload)]
}

// gated are the cases that every candidate is judged on.
func (s *caseSet) gated() []int {
	var list []int
	for i := range s.cases {
		if !s.cases[i].Trial {
			list = append(list, i)
		}
	}
	return list
}

// newCases makes the list. For every candidate: every check shape on exact inputs, where a wrong index or a dropped term
// changes an integer for certain; the largest of them on every input class, where precision shows; and each workload on
// seedsPerWorkload ordinary inputs. A problem without an exact test has every shape on ordinary inputs instead. For who
// would reign: the rest of each workload's bank, and every other input class at each workload. The seeds are secret:
// they come from the system.
func newCases(p *kernels.Problem, t kernels.DType, workloads []kernels.Workload, e effort) (*caseSet, error) {
	s := &caseSet{byLoad: map[string][]int{}, trials: map[string][]int{}, guardKey: secret()}
	least, large := largest(p, t, 0), largest(p, t, e.classes)
	for i, d := range p.Check.Shapes {
		if flops, _, err := p.Work(d, t); err == nil && flops > e.shape && i != least {
			continue
		}
		for _, class := range classesFor(p, i == large) {
			if err := s.add(p, t, gpu.Case{Dims: d, Class: class}); err != nil {
				return nil, err
			}
		}
	}
	for _, w := range workloads {
		if err := s.addWorkload(p, t, w, e); err != nil {
			return nil, fmt.Errorf("workload %s: %w", w.Name, err)
		}
	}
	return s, nil
}

// addWorkload adds the bank of a scored size and its trial classes, as far as the effort goes.
func (s *caseSet) addWorkload(p *kernels.Problem, t kernels.DType, w kernels.Workload, e effort) error {
	flops, _, err := p.Work(w.Dims, t)
	if err != nil {
		return err
	}
	list := func(to map[string][]int, class string, trial bool) error {
		to[w.Name] = append(to[w.Name], len(s.cases))
		return s.add(p, t, gpu.Case{Workload: w.Name, Dims: w.Dims, Class: class, Trial: trial})
	}
	for i := range bankSize {
		if i >= seedsPerWorkload && (flops*float64(i+1) > e.bank || s.bytes > e.memory) {
			break
		}
		if err := list(s.byLoad, p.Check.Inputs[0], i >= seedsPerWorkload); err != nil {
			return err
		}
	}
	if flops > e.shape {
		return nil
	}
	for _, class := range classesFor(p, true) {
		if class == p.Check.Inputs[0] || s.bytes > e.memory {
			continue
		}
		if err := list(s.trials, class, true); err != nil {
			return err
		}
	}
	return nil
}

func classesFor(p *kernels.Problem, all bool) []string {
	var classes []string
	if p.ExactTest() {
		classes = append(classes, "exact")
	}
	if all {
		return append(classes, p.Check.Inputs...)
	}
	if len(classes) == 0 {
		classes = p.Check.Inputs[:1]
	}
	return classes
}

// effort bounds what is run, in operations: sizes beyond shape are left out, and workloads beyond it have no trial
// classes; those beyond classes are not run on every input class; bank is for all sets of a workload together. memory is the
// bytes up to which trial cases are added.
type effort struct {
	shape, classes, bank float64
	memory               int
}

// emulated is the effort of the cpu device.
var emulated = effort{shape: 5e6, classes: 1e6, bank: 2e7, memory: 1 << 30}

// effort is what the device gets through in the time that a candidate is worth. Emulated threads are
// slow by orders of magnitude; shapes of a few tiles show what they can.
func (p *Pool) effort() effort {
	if p.cfg.Kind == "cpu" {
		return emulated
	}
	return effort{math.Inf(1), math.Inf(1), math.Inf(1), p.device.MemoryBytes / trialShare}
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

// add completes a case that has dims, class and what it is for.
func (s *caseSet) add(p *kernels.Problem, t kernels.DType, c gpu.Case) (err error) {
	if c.Buffers, err = p.Buffers(c.Dims, t); err != nil {
		return err
	}
	c.Name, c.Seed, c.TruthAt = sizeName(p, c.Dims)+" "+c.Class, secret(), s.truth
	s.truth += c.TruthBytes()
	s.bytes += c.ArenaBytes()
	s.cases = append(s.cases, c)
	return nil
}

// slotBytes is the size of a slot of the output memory: it holds the outputs of every case that every candidate is
// gated on.
func (s *caseSet) slotBytes() int {
	_, n := gpu.Pack(s.cases, s.gated())
	return n
}

// sizeName writes a size in the order that the problem names its dims: 257x255x129.
func sizeName(p *kernels.Problem, d kernels.Dims) string {
	parts := make([]string, len(p.DimNames))
	for i, n := range p.DimNames {
		parts[i] = fmt.Sprint(d[n])
	}
	return strings.Join(parts, "x")
}

// deviceBytes is the device memory that the cases take, with the largest cold run beside them.
func (s *caseSet) deviceBytes(l2 int) int {
	cold := 0
	for i := range s.cases {
		if s.cases[i].Workload != "" {
			cold = max(cold, s.cases[i].ColdBytes(l2))
		}
	}
	return s.bytes + cold
}

// secret draws a seed that no candidate can know.
func secret() uint64 {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil { // documented never to fail
		panic(err)
	}
	return binary.LittleEndian.Uint64(b[:])
}
