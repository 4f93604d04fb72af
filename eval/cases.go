package eval

import (
	"cmp"
	crand "crypto/rand"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

// A scored size has a bank of input sets. Every candidate is gated on the first of them, and its timed
// launches alternate between these; the others are for launches that must not have seen their inputs before.
const (
	seedsPerWorkload = 2
	bankSize         = 8
	trialShare       = 3   // of a GPU's memory one part in so many is for trial cases
	mostCases        = 400 // beyond, there are no more trial cases
	mostDrawn        = 32  // sizes near workloads
	drawnTotal       = 6   // all sizes that are drawn take no more than so many times what one may
	alignedShare     = 4   // and one that is not near a workload a part in so many
)

// caseSet is the inputs that candidates of a run are judged on, with where their truth lies in the
// shared memory.
type caseSet struct {
	cases    []gpu.Case
	byLoad   map[string][]int // a workload's bank; all but the first seedsPerWorkload are trial cases
	trials   map[string][]int // the other input classes at a workload: trial cases all
	bytes    int              // device memory that the buffers of all cases take
	truth    int              // bytes
	atomics  bool             // outputs of timed launches go to the judge
	guardKey uint64

	rng    *rand.Rand
	powers map[string]power // by workload
	terms  []gpu.Terms
	hard   []string // hard classes
	mix    []string // classes of the lines of mixed cases
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
// changes an integer for certain; the largest of them on every input class, where precision shows; sizes drawn for this
// session on inputs of all classes, line by line; and each workload on seedsPerWorkload ordinary inputs. A problem without an
// exact test has every check shape on ordinary inputs instead. For who would reign: the rest of each workload's bank, every
// other input class at each workload, and a size near it. The seeds are secret: rng is of the system's making.
func newCases(p *kernels.Problem, t kernels.DType, workloads []kernels.Workload, e effort, powers map[string]power, rng *rand.Rand) (*caseSet, error) {
	s := &caseSet{powers: powers, hard: hard(p, e), byLoad: map[string][]int{}, trials: map[string][]int{}, atomics: p.Check.Atomics, guardKey: rng.Uint64(), rng: rng, terms: gpu.TermsOf(p), mix: mixed(p, hard(p, e))}
	least, large := largest(p, t, 0), largest(p, t, e.classes)
	for i, d := range p.Check.Shapes {
		if flops, _, err := p.Work(d, t); err == nil && flops > e.shape && i != least {
			continue
		}
		classes := classesFor(p, i == large)
		if i == large && e.alone {
			classes = append(classes, s.hard...)
		}
		for _, class := range classes {
			if err := s.add(p, t, gpu.Case{Dims: d, Class: class}); err != nil {
				return nil, err
			}
		}
	}
	if err := s.addDrawn(p, t, workloads, e); err != nil {
		return nil, err
	}
	for _, w := range workloads {
		if err := s.addWorkload(p, t, w, e); err != nil {
			return nil, fmt.Errorf("workload %s: %w", w.Name, err)
		}
	}
	return s, nil
}

// addDrawn adds the sizes that are drawn for every candidate, as many as the effort allows.
func (s *caseSet) addDrawn(p *kernels.Problem, t kernels.DType, workloads []kernels.Workload, e effort) error {
	d := &drawer{p: p, t: t, rng: s.rng, cap: e.drawn}
	var sizes []kernels.Dims
	for _, w := range workloads {
		sizes = append(sizes, d.near(w.Dims)...)
	}
	s.rng.Shuffle(len(sizes), func(i, j int) { sizes[i], sizes[j] = sizes[j], sizes[i] })
	sizes = sizes[:min(len(sizes), mostDrawn)]
	d.cap = e.drawn / alignedShare
	seen, left := map[string]bool{}, e.drawn*drawnTotal
	for _, size := range append(d.aligned(), sizes...) {
		work, _ := d.work(size)
		if name := sizeName(p, size); seen[name] || work > left {
			continue
		} else {
			seen[name] = true
		}
		left -= work
		if err := s.add(p, t, gpu.Case{Dims: size, Class: gpu.Mixed}); err != nil {
			return err
		}
	}
	return nil
}

// mixed lists the classes of which the lines of a mixed case are: those of the problem that are not integers. Neither inf nor
// NaN is among them where one line could spoil the others' outputs, nor needles where the lines are not those of the terms.
func mixed(p *kernels.Problem, hard []string) []string {
	classes := slices.Clone(p.Check.Inputs)
	first := slices.IndexFunc(p.Tensors, func(t kernels.Tensor) bool { return t.Role == "in" })
	for _, class := range hard {
		tensor, axis := -1, -1
		if len(p.Check.Terms) > 0 {
			tensor, axis, _ = p.Check.Terms[0].Place()
		}
		if class == kernels.Needles && tensor != first || class == kernels.Special && !apart(p, first, tensor == first, axis) {
			continue
		}
		classes = append(classes, class)
	}
	return slices.DeleteFunc(classes, func(c string) bool { return c == "exact" })
}

// hard lists the hard classes of a session.
func hard(p *kernels.Problem, e effort) []string {
	return slices.DeleteFunc(p.Hard(), func(class string) bool { return e.narrow && class == "huge" })
}

// apart reports whether each line of an input has outputs of its own: every axis but that of the line is one of each output.
// What is not summed is all its own.
func apart(p *kernels.Problem, input int, summed bool, axis int) bool {
	if input < 0 {
		return false
	}
	x := p.Tensors[input]
	if !summed {
		axis = len(x.Shape) - 1
	}
	for i, dim := range x.Shape {
		for _, out := range p.Tensors {
			if i != axis && out.Role == "out" && !slices.Contains(out.Shape, dim) {
				return false
			}
		}
	}
	return len(x.Shape) > 1 || summed || len(p.Check.Terms) == 0 && p.Check.Reduction == "1"
}

// addWorkload adds the bank of a scored size and its trial classes, as far as the effort goes.
func (s *caseSet) addWorkload(p *kernels.Problem, t kernels.DType, w kernels.Workload, e effort) error {
	flops, _, err := p.Work(w.Dims, t)
	if err != nil {
		return err
	}
	list := func(to map[string][]int, c gpu.Case) error {
		to[w.Name] = append(to[w.Name], len(s.cases))
		return s.add(p, t, c)
	}
	proved := s.powers[w.Name]
	bank := cmp.Or(proved.bank, p.Check.Inputs[0])
	at := gpu.Case{Workload: w.Name, Dims: w.Dims, Class: bank}
	for i := range bankSize {
		if i >= seedsPerWorkload && (flops*float64(i+1) > e.bank || s.full(e)) {
			break
		}
		at.Trial = i >= seedsPerWorkload
		if err := list(s.byLoad, at); err != nil {
			return err
		}
	}
	at.Trial = true
	for _, class := range append(append(classesFor(p, true), s.hard...), gpu.Mixed) {
		if class == bank || slices.Contains(proved.unfit, class) || s.full(e) || flops > e.trial {
			continue
		}
		at.Class = class
		if err := list(s.trials, at); err != nil {
			return err
		}
	}
	d := &drawer{p: p, t: t, rng: s.rng}
	if size, ok := d.neighbor(w.Dims); ok && !s.full(e) && flops <= e.trial {
		return list(s.trials, gpu.Case{Dims: size, Class: gpu.Mixed, Trial: true})
	}
	return nil
}

// full reports whether there is no room for more trial cases.
func (s *caseSet) full(e effort) bool { return s.bytes > e.memory || len(s.cases) >= mostCases }

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

// effort bounds what is run, in operations: sizes beyond shape are left out, and workloads beyond trial have no trial
// classes; those beyond classes are not run on every input class; drawn is for one size that is drawn; bank for all sets
// of a workload together. memory is the bytes up to which trial cases are added. alone says that hard classes are also run each
// on its own. lines is how many lines of terms the check's power is proved on, omissions how many parts of them are left out
// beside the first and the last. narrow says that sums are also kept in narrower types than fp32, which overflow
// where inputs are huge.
type effort struct {
	shape, classes, drawn, bank, trial float64
	memory                             int
	lines, omissions                   int
	alone, narrow                      bool
}

// emulated is the effort of the cpu device.
var emulated = effort{shape: 5e6, classes: 1e6, drawn: 1e5, bank: 4e7, trial: 1e7, memory: 1 << 30, lines: 16, omissions: 1}

// effort is what the device gets through in the time that a candidate is worth. Emulated threads are
// slow by orders of magnitude; shapes of a few tiles show what they can.
func (p *Pool) effort() effort {
	e := effort{shape: math.Inf(1), classes: math.Inf(1), drawn: 1e10, bank: 1e13, trial: math.Inf(1), memory: p.device.MemoryBytes / trialShare, lines: 64, omissions: 4, alone: true}
	if p.cfg.Kind == "cpu" {
		e = emulated
	}
	e.narrow = slices.ContainsFunc(p.cfg.Acc, func(t kernels.DType) bool { return t.Roundoff() > kernels.FP32.Roundoff() })
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

// add completes a case that has dims, class and what it is for.
func (s *caseSet) add(p *kernels.Problem, t kernels.DType, c gpu.Case) (err error) {
	if c.Buffers, err = p.Buffers(c.Dims, t); err != nil {
		return err
	}
	c.Name, c.Seed, c.Terms = sizeName(p, c.Dims)+" "+c.Class, s.rng.Uint64(), s.terms
	if c.Class == gpu.Mixed {
		c.Mix = s.mix
	}
	c.TruthAt = s.truth
	s.truth += c.TruthBytes()
	s.bytes += c.ArenaBytes()
	s.cases = append(s.cases, c)
	return nil
}

// slotBytes is the size of a slot of the output memory: it holds the outputs of what every candidate is judged on, of any one
// trial case, and of timed launches where the judge looks at them.
func (s *caseSet) slotBytes() int {
	gated, most := 0, 0
	for i := range s.cases {
		c := &s.cases[i]
		if !c.Trial {
			gated += c.OutBytes()
		}
		if c.Workload != "" {
			most = max(most, c.OutBytes())
		}
	}
	n := max(gated, most)
	if s.atomics {
		n = max(n, fewestRecorded*most, min(usuallyRecorded*most, mostRecordedBytes))
	}
	return n
}

// How many outputs of a workload a slot holds where the judge looks at those of timed launches: the more, the fewer requests a
// timing takes. A fresh pair of a duel is of two calls on either side at least.
const (
	fewestRecorded    = 4
	usuallyRecorded   = 16
	mostRecordedBytes = 1 << 30
)

// fitting is how many of the cases have room for their outputs in a slot, and at least one.
func (s *caseSet) fitting(cases []int) int {
	room := s.slotBytes()
	for n, i := range cases {
		if room -= s.cases[i].OutBytes(); room < 0 && n > 0 {
			return n
		}
	}
	return len(cases)
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

// secret is a source that no candidate can know.
func secret() *rand.Rand {
	var seed [32]byte
	if _, err := crand.Read(seed[:]); err != nil { // documented never to fail
		panic(err)
	}
	return rand.New(rand.NewChaCha8(seed))
}
