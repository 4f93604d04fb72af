package cases

import (
	"math/bits"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// loneAtWorkload is how many cases of a scored size have a single line that is hard.
const loneAtWorkload = 4

// addLone adds trial cases in which a single line is hard, of each class in turn that the lines of an input may be of,
// at sizes that are drawn: a kernel that looks at most of the lines takes the others for ordinary. They are tried with
// a workload.
func (s *Set) addLone(w kernels.Workload) error {
	d := &drawer{p: s.want.Problem, t: s.want.DType, rng: s.want.RNG, cap: s.want.Effort.drawn / alignedShare}
	sizes := d.aligned()
	for input := range s.mix {
		c := device.Case{Class: device.Lone, Hard: input, Trial: true}
		for n := 0; n < s.loneClasses(input) && len(sizes) > 0 && len(s.List) < mostCases; n++ {
			c.Dims = sizes[n%len(sizes)]
			if err := s.addLoneOf(w, c, n); err != nil {
				return err
			}
		}
	}
	return s.addCombs(w)
}

// combLines is how many lines inputs have, as far as there is room, of which one in eight is hard: so many that among
// these are some of each class.
const combLines = 8 * lineCount

// addCombs adds trial cases in which one in eight lines is hard, each eighth in turn, of each input that may have some:
// who looks at fewer than all lines sees none in one of them.
func (s *Set) addCombs(w kernels.Workload) error {
	d := &drawer{p: s.want.Problem, t: s.want.DType, rng: s.want.RNG, cap: s.want.Effort.drawn}
	size, ok := d.less().cube(func(kernels.Range) int { return combLines })
	for input := range s.mix {
		c := device.Case{Class: device.Comb, Hard: input, Trial: true, Dims: size}
		for n := 0; ok && n < device.Slots && s.loneClasses(input) > 1 && len(s.List) < mostCases; n++ {
			if err := s.addLoneOf(w, c, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// loneAt are the cases of a scored size, or of a smaller one beside it, in which a single line is hard: of the inputs
// that may have one, in turn.
func (s *Set) loneAt(at device.Case) (list []device.Case) {
	at.Class = device.Lone
	for len(list) < loneAtWorkload {
		before := len(list)
		for at.Hard = range s.mix {
			if s.loneClasses(at.Hard) > 0 && len(list) < loneAtWorkload {
				list = append(list, at)
			}
		}
		if len(list) == before {
			break
		}
	}
	return list
}

// agreedAt are the cases of a scored size in which indices agree, in each way that an input's may: one bin gets all
// there is, or the last page, or all go where they are; but for a few, or without exception.
func (s *Set) agreedAt(w kernels.Workload, at device.Case) (list []device.Case, err error) {
	buffers, err := s.want.Problem.Buffers(w.Dims, s.want.DType)
	at.Class = device.Rare
	for i, input := 0, 0; i < len(buffers); i++ {
		if buffers[i].Out {
			continue
		}
		for way := 0; way < device.Agreements && device.Agrees(&buffers[i]); way++ {
			for at.Seed = s.want.RNG.Uint64(); device.Agreement(input, at.Seed) != way; at.Seed = s.want.RNG.Uint64() {
			}
			list = append(list, at)
		}
		input++
	}
	return list, err
}

// loneClasses is of how many classes the lines of an input may be. That is none where its numbers have none.
func (s *Set) loneClasses(input int) int {
	if s.want.ranged(input) || s.want.Problem.Tensors[s.input(input)].Made {
		return 0
	}
	return len(s.mix[input])
}

// addLoneOf adds a case whose hard line is of one of the classes, by its number, or whose lines are chosen so.
func (s *Set) addLoneOf(w kernels.Workload, c device.Case, number int) (err error) {
	if ok, err := s.want.fits(c.Dims); err != nil || !ok {
		return err
	}
	if c.Buffers, err = s.want.Problem.Buffers(c.Dims, s.want.DType); err != nil {
		return err
	}
	c.Mix, c.Terms = s.mix, s.terms
	f, err := c.Fill(s.input(c.Hard))
	if err != nil {
		return err
	}
	classes, _ := f.Few()
	chosen, of := device.FirstTurn, bits.OnesCount32(classes)
	if c.Class == device.Comb {
		chosen, of = device.Slot, device.Slots
	}
	for c.Seed = s.want.RNG.Uint64(); of > 1 && chosen(f, c.Seed) != number%of; c.Seed = s.want.RNG.Uint64() {
	}
	return s.addTo(s.Trials, w, c)
}

// addLarger adds as trial cases the check shapes that take too long for every candidate, and sizes drawn up to larger
// ones: where threads are emulated a candidate is judged on small sizes, and who would reign on these, too. They are
// tried with a workload.
func (s *Set) addLarger(w kernels.Workload) error {
	p, t, e := s.want.Problem, s.want.DType, s.want.Effort
	var list []device.Case
	for i, d := range p.Check.Shapes {
		if flops, _, err := p.Work(d, t); err == nil && s.late(i) && flops <= e.late {
			list = append(list, device.Case{Dims: d, Class: s.want.Ordinary(false)[0], Trial: true})
		}
	}
	if e.late > 0 {
		d := &drawer{p: p, t: t, rng: s.want.RNG, cap: e.drawn * lateTimes, odd: oddFactors(s.want.RNG)}
		for _, size := range d.aligned() {
			for _, class := range s.gathered(device.Mixed) {
				list = append(list, device.Case{Dims: size, Class: class, Trial: true})
			}
		}
	}
	for _, c := range list[:min(len(list), max(0, mostCases-len(s.List)))] {
		ok, err := s.want.fits(c.Dims)
		if ok {
			err = s.addTo(s.Trials, w, c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lateTimes is how much longer than for every candidate a drawn size may take for who would reign.
const lateTimes = 5

// late reports whether a check shape takes too long for every candidate.
func (s *Set) late(shape int) bool {
	p, t := s.want.Problem, s.want.DType
	flops, _, err := p.Work(p.Check.Shapes[shape], t)
	return err == nil && flops > s.want.Effort.shape && shape != largest(p, t, 0)
}
