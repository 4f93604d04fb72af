package cases

import (
	"maps"
	"slices"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

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
		s.bytes -= c.MappedBytes() // they share the arena of the workload's other trial cases
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
	again, err := s.scatteredAt(alone)
	if err != nil {
		return nil, err
	}
	list = slices.Concat(list, agreed, s.loneAt(alone), again)
	others, keep := alone, func(c device.Case) error { list = append(list, c); return nil }
	if err := s.addOthers(others, keep); err != nil {
		return nil, err
	}
	beside, err := s.besideCases(w)
	return append(list, beside...), err
}

// besideCases are those of a size near a scored one, and of those that are a step shorter or longer.
func (s *Set) besideCases(w kernels.Workload) (list []device.Case, err error) {
	d := &drawer{p: s.want.Problem, t: s.want.DType, rng: s.want.RNG}
	size, ok := d.neighbor(w.Dims)
	if ok {
		ok, err = s.want.fits(size)
	}
	if ok {
		for _, class := range s.gathered(device.Mixed) {
			list = append(list, device.Case{Dims: size, Class: class, Trial: true})
		}
	}
	return append(list, s.stepCases(w)...), err
}

// Where errors of products scatter, a narrower type on the way is told by the error of the whole output alone, which
// few numbers say little about.
const (
	tellingOutputs = 1 << 12
	mostScattered  = 16
)

// scatteredAt are further cases of normal numbers at a size with few outputs, so many that each would have told most
// types on the way; none where no errors scatter.
func (s *Set) scatteredAt(at device.Case) (list []device.Case, err error) {
	if !s.want.Problem.Check.Scattered {
		return nil, nil
	}
	buffers, err := s.want.Problem.Buffers(at.Dims, s.want.DType)
	outputs := 0
	for _, b := range buffers {
		if b.Out {
			outputs += b.Elems()
		}
	}
	at.Class = "normal"
	for n := 1; n < min(mostScattered, tellingOutputs/max(outputs, 1)); n++ {
		list = append(list, at)
	}
	return list, err
}

// stepCases are trial cases near a scored size that are a step shorter or longer, and small ones in which two dims are
// as short as they can be.
func (s *Set) stepCases(w kernels.Workload) (list []device.Case) {
	d := &drawer{p: s.want.Problem, t: s.want.DType, rng: s.want.RNG, cap: s.want.Effort.drawn}
	for _, size := range slices.Concat(d.steps(w.Dims), d.pairs()) {
		if ok, err := s.want.fits(size); err == nil && ok {
			list = append(list, device.Case{Dims: size, Class: device.Mixed, Trial: true})
		}
	}
	return list
}

// full reports whether there is no room for more trial cases.
func (s *Set) full() bool { return s.bytes > s.want.Effort.memory || len(s.List) >= mostCases }
