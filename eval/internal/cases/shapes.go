package cases

import (
	"slices"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

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
	cubes := d.cubes()
	mixed, rare := slices.Concat(d.aligned(), d.scales(), cubes), d.upper()
	if err := s.addPlain(d, cubes); err != nil {
		return err
	}
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
		for _, class := range s.gathered(class) {
			if err := s.Add(device.Case{Dims: size, Class: class}); err != nil {
				return err
			}
		}
	}
	return nil
}

// gathered are the classes of a drawn size that has lines of many classes: that one, and, where all lines come
// together in the same outputs, as in a loss, the problem's first. Beside the largest lines nobody sees there what is
// left out of others.
func (s *Set) gathered(class string) []string {
	p := s.want.Problem
	first := slices.IndexFunc(p.Tensors, func(t kernels.Tensor) bool { return t.Role == "in" })
	if first < 0 || len(p.Tensors[first].Shape) < 2 || class != device.Mixed {
		return []string{class}
	}
	for i := range p.Tensors {
		for axis := range p.Tensors[first].Shape {
			if p.Tensors[i].Role == "out" && p.Follows(i, first, axis) {
				return []string{class}
			}
		}
	}
	return append([]string{class}, s.want.plain()...)
}

// addPlain adds the cube one less than whole tiles with the problem's first class of inputs, or first two. Its last
// line is the only one where all dims end so, and in a mixed case that line may be of a class that hides what is done
// wrong there. So may exact inputs, many of which are zero.
func (s *Set) addPlain(d *drawer, cubes []kernels.Dims) error {
	i := slices.IndexFunc(cubes, d.allShort)
	if i < 0 {
		return nil
	}
	if ok, err := s.want.fits(cubes[i]); err != nil || !ok {
		return err
	}
	for _, class := range s.want.plain() {
		if err := s.Add(device.Case{Dims: cubes[i], Class: class}); err != nil {
			return err
		}
	}
	return nil
}
