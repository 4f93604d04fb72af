package gpu

import "fmt"

// Footprints, as multiples of L2. A hot run's arenas must fit well inside; a cold run's must push
// each other out (NVIDIA CUTLASS' profiler rotates over 3 x L2 for the same reason).
const (
	hotShare   = 0.5
	coldShare  = 3
	maxCold    = 64
	flushShare = 2
)

// runArenas chooses the arenas that a run rotates through, and which of its sets each holds.
func (s *Session) runArenas(run Run) (arenas []*arena, seeds []int, err error) {
	if run.Cache == "cold" {
		return s.coldArenas(run)
	}
	for _, i := range run.Cases {
		if err := s.keepInStock(i); err != nil {
			return nil, nil, err
		}
	}
	for i := range s.prep.Cases[run.Cases[0]].Rotation("hot", len(run.Cases), s.dev.L2Bytes) {
		a, err := s.arenaOf(run.Cases[i])
		if err != nil {
			return nil, nil, err
		}
		arenas, seeds = append(arenas, a), append(seeds, i)
	}
	return arenas, seeds, nil
}

func footprint(c *Case) int {
	n := 0
	for _, b := range c.Buffers {
		n += b.Bytes()
	}
	return n
}

// coldCount is how many arenas of a case a cold run rotates through.
func coldCount(c *Case, l2 int) int {
	return max(2, min(maxCold, 1+int(coldShare*float64(l2)/float64(footprint(c)))))
}

// Rotation is how many sets of the case's buffers a run goes through, of which there are so many with
// inputs of their own.
func (c *Case) Rotation(cache string, seeds, l2 int) int {
	switch {
	case cache == "cold":
		return coldCount(c, l2)
	case float64(2*footprint(c)) > hotShare*float64(l2):
		return 1
	}
	return seeds
}

// Least length of a sample in ns. A shorter one than regionNs would be known to worse than 0.25 %, since events
// resolve half a microsecond. Where a call moves more than L2 holds, the first one also waits until the lines that
// fresh inputs and refills have left dirty are written back, and those of the last call are nobody's: 60 MB on an
// H200 are 15 us, which regionBeyondL2 keeps below 0.8 %.
const (
	regionNs       = 200e3
	regionBeyondL2 = 2e6
)

// Region is how many ns a sample of the case lasts at least.
func (c *Case) Region(l2 int) float64 {
	if footprint(c) > l2 {
		return regionBeyondL2
	}
	return regionNs
}

// FlushBytes is what a cold sample writes before it starts.
func FlushBytes(l2 int) int { return flushShare * l2 }

// ColdBytes is the device memory that a cold run of a case takes, with the buffer that flushes L2.
func (c *Case) ColdBytes(l2 int) int { return coldCount(c, l2)*c.ArenaBytes() + flushShare*l2 }

// coldArenas makes, once per workload, what a cold run needs.
func (s *Session) coldArenas(run Run) (arenas []*arena, seeds []int, err error) {
	arenas = s.cold[run.Workload]
	for i := range coldCount(&s.prep.Cases[run.Cases[0]], s.dev.L2Bytes) {
		seeds = append(seeds, i%len(run.Cases))
		if i == len(arenas) {
			arenas = append(arenas, nil)
		}
		if arenas[i] == nil || arenas[i].gone() {
			if arenas[i], err = s.makeArena(run.Cases[0], true); err != nil {
				return nil, nil, fmt.Errorf("cold buffers: %w", err)
			}
			s.cold[run.Workload] = arenas
		}
		s.wake(arenas[i])
		if err := s.hold(arenas[i], run.Cases[seeds[i]]); err != nil {
			return nil, nil, err
		}
	}
	return arenas, seeds, nil
}

// flushL2 queues writes of twice L2, which push everything else out. What is written is the guards' pattern, so
// that nobody can leave anything there.
func (s *Session) flushL2() error {
	if s.flush == nil || s.flush.gone() {
		b, err := s.mem.take(flushShare*s.dev.L2Bytes, true)
		if err != nil {
			return fmt.Errorf("flush buffer: %w", err)
		}
		s.flush = newArena(b, "the buffer that flushes L2", nil, nil)
	}
	s.flush.used = s.mem.request
	return s.paint(s.flush.zones...)
}
