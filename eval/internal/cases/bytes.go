package cases

import (
	"fmt"
	"strings"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// Add completes a case that has dims, class and what it is for.
func (s *Set) Add(c device.Case) (err error) {
	if c.Buffers, err = s.want.Problem.Buffers(c.Dims, s.want.DType); err != nil {
		return err
	}
	if c.Maker, err = s.want.Problem.MakerLaunch(c.Dims, s.want.DType); err != nil {
		return err
	}
	c.Name, c.Terms = sizeName(s.want.Problem, c.Dims)+" "+c.Class, s.terms
	if c.Whole > 0 {
		c.Name = fmt.Sprintf("%s with whole numbers to %.0f", sizeName(s.want.Problem, c.Dims), c.Whole)
	}
	if device.ByLine(c.Class) {
		c.Mix = s.mix
	}
	if c.Seed == 0 {
		c.Seed = s.seed(&c)
	}
	c.TruthAt = s.TruthBytes
	s.TruthBytes += c.TruthBytes()
	s.bytes += c.MappedBytes()
	s.List = append(s.List, c)
	return nil
}

// SlotBytes is the size of a slot of the output memory: it holds the outputs of what every candidate is judged on, of
// any one trial case, and of timed launches where the judge looks at them.
func (s *Set) SlotBytes() int {
	gated, most := 0, s.mostOut()
	for _, i := range s.Gated() {
		gated += s.List[i].OutBytes()
	}
	n := max(gated, s.LeastSlotBytes())
	if s.Atomics {
		n = max(n, min(usuallyRecorded*most, mostRecordedBytes))
	}
	return n
}

// LeastSlotBytes is the size of a slot of the output memory where it is short: it holds the outputs of any one case,
// and of as few timed launches as do. A gate goes in parts then.
func (s *Set) LeastSlotBytes() int {
	if s.Atomics {
		return fewestRecorded * s.mostOut()
	}
	return s.mostOut()
}

// mostOut is the most that the outputs of a case take.
func (s *Set) mostOut() (most int) {
	for i := range s.List {
		most = max(most, s.List[i].OutBytes())
	}
	return most
}

// Fitting is how many of the cases have room for their outputs in a slot of so many bytes, and at least one.
func (s *Set) Fitting(cases []int, room int) int {
	for n, i := range cases {
		if room -= s.List[i].OutBytes(); room < 0 && n > 0 {
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

// DeviceBytes is the device memory that the cases take, with the largest cold run beside them.
func (s *Set) DeviceBytes(l2 int) int { return s.bytes + s.coldBytes(l2) }

// coldBytes is what the largest cold run takes.
func (s *Set) coldBytes(l2 int) (cold int) {
	for i := range s.List {
		if s.List[i].Workload != "" {
			cold = max(cold, s.List[i].ColdBytes(l2))
		}
	}
	return cold
}

// LeastDeviceBytes is the device memory that the cases take where it is short. Those that every candidate is run on
// have theirs for good. Beside them is room for the largest cold run, or in its place for two cases of a trial: both
// are made when they are wanted, and given back.
func (s *Set) LeastDeviceBytes(l2 int) int {
	gated, trial := 0, 0
	for i := range s.List {
		if n := s.List[i].MappedBytes(); s.List[i].Trial {
			trial = max(trial, n)
		} else {
			gated += n
		}
	}
	return gated + max(s.coldBytes(l2), 2*trial)
}

// How many outputs of a workload a slot holds where the judge looks at those of timed launches: the more, the fewer
// requests a timing takes. A fresh pair of a duel is of two calls on either side at least.
const (
	fewestRecorded    = 4
	usuallyRecorded   = 16
	mostRecordedBytes = 1 << 30
)
