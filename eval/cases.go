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

// seedsPerWorkload is how many input sets each scored size has: timed launches alternate between
// them, so that an answer kept from an earlier call is wrong.
const seedsPerWorkload = 2

// caseSet is the inputs that every candidate of a run is judged on, with where their truth lies in the
// shared memory.
type caseSet struct {
	cases    []gpu.Case
	byLoad   map[string][]int // case indices by workload
	truth    int              // bytes
	guardKey uint64
}

// newCases makes the list: every check shape on exact inputs, where a wrong index or a dropped term
// changes an integer for certain; the largest of them on every input class, where precision shows;
// and each workload on seedsPerWorkload ordinary inputs. A problem without an exact test has every
// shape on ordinary inputs instead. The seeds are secret: they come from the system.
func newCases(p *kernels.Problem, t kernels.DType, workloads []kernels.Workload, e effort) (*caseSet, error) {
	s := &caseSet{byLoad: map[string][]int{}, guardKey: secret()}
	least, large := largest(p, t, 0), largest(p, t, e.classes)
	for i, d := range p.Check.Shapes {
		if flops, _, err := p.Work(d, t); err == nil && flops > e.shape && i != least {
			continue
		}
		for _, class := range classesFor(p, i == large) {
			if err := s.add(p, t, "", d, class); err != nil {
				return nil, err
			}
		}
	}
	for _, w := range workloads {
		for range seedsPerWorkload {
			s.byLoad[w.Name] = append(s.byLoad[w.Name], len(s.cases))
			if err := s.add(p, t, w.Name, w.Dims, p.Check.Inputs[0]); err != nil {
				return nil, fmt.Errorf("workload %s: %w", w.Name, err)
			}
		}
	}
	return s, nil
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

// effort bounds the check shapes in operations: those beyond shape are left out, those beyond classes
// are not run on every input class.
type effort struct{ shape, classes float64 }

// emulated is the effort of the cpu device.
var emulated = effort{shape: 5e6, classes: 1e6}

// effort is what the device gets through in the time that a candidate is worth. Emulated threads are
// slow by orders of magnitude; shapes of a few tiles show what they can.
func (c *Config) effort() effort {
	if c.Kind == "cpu" {
		return emulated
	}
	return effort{math.Inf(1), math.Inf(1)}
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

func (s *caseSet) add(p *kernels.Problem, t kernels.DType, workload string, d kernels.Dims, class string) error {
	bufs, err := p.Buffers(d, t)
	if err != nil {
		return err
	}
	c := gpu.Case{Name: sizeName(p, d) + " " + class, Workload: workload, Dims: d, Class: class, Seed: secret(), Buffers: bufs, TruthAt: s.truth}
	s.truth += c.TruthBytes()
	s.cases = append(s.cases, c)
	return nil
}

// slotBytes is the size of a slot of the output memory: it holds the outputs of every case once.
func (s *caseSet) slotBytes() int {
	n := 0
	for i := range s.cases {
		n += s.cases[i].OutBytes()
	}
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
	n, cold := 0, 0
	for i := range s.cases {
		n += s.cases[i].ArenaBytes()
		if s.cases[i].Workload != "" {
			cold = max(cold, s.cases[i].ColdBytes(l2))
		}
	}
	return n + cold
}

// secret draws a seed that no candidate can know.
func secret() uint64 {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil { // documented never to fail
		panic(err)
	}
	return binary.LittleEndian.Uint64(b[:])
}
