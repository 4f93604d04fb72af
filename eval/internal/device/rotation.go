package device

import "math"

// Footprints, as multiples of L2. A hot run's arenas must fit well inside; a cold run's must push
// each other out (NVIDIA CUTLASS' profiler rotates over 3 x L2 for the same reason).
const (
	hotShare   = 0.5
	coldShare  = 3
	maxCold    = 64
	flushShare = 2
)

// footprint is the bytes that a call touches.
func (c *Case) footprint() int {
	n := 0
	for _, b := range c.Buffers {
		n += b.Bytes()
	}
	return n
}

// ColdArenas is how many arenas of the case a cold run rotates through.
func (c *Case) ColdArenas(l2 int) int {
	return max(2, min(maxCold, 1+int(coldShare*float64(l2)/float64(c.footprint()))))
}

// Rotation is how many sets of the case's buffers a run goes through, of which there are so many with
// inputs of their own.
func (c *Case) Rotation(cache string, seeds, l2 int) int {
	switch {
	case cache == "cold":
		return c.ColdArenas(l2)
	case float64(2*c.footprint()) > hotShare*float64(l2):
		return 1
	}
	return seeds
}

// Least length of a sample in ns. A shorter one than regionNs would be known to worse than 0.25 %, since events
// resolve half a microsecond. Where a call moves more than L2 holds, the first one also waits until the lines that
// fresh inputs and refills have left dirty are written back, and those of the last call stay: 60 MB on an
// H200 are 15 us, which regionBeyondL2 keeps below 0.8 %.
const (
	regionNs       = 200e3
	regionBeyondL2 = 2e6
)

// Region is how many ns a sample of the case lasts at least.
func (c *Case) Region(l2 int) float64 {
	if c.footprint() > l2 {
		return regionBeyondL2
	}
	return regionNs
}

// FlushBytes is what a cold sample writes before it starts.
func FlushBytes(l2 int) int { return flushShare * l2 }

// ColdBytes is the device memory that a cold run of a case takes, with the buffer that flushes L2.
func (c *Case) ColdBytes(l2 int) int { return c.ColdArenas(l2)*c.MappedBytes() + FlushBytes(l2) }

// MaxCalls is how many calls a graph has at most, here and in what is timed elsewhere in the same way: more nodes
// cost more to build than they tell.
const MaxCalls = 256

// Calls is how many calls a sample of the case has: as many as fill its region by the estimate, in ns a call, and as
// many on each arena.
func (c *Case) Calls(estimate float64, arenas, l2 int) int {
	calls := arenas
	if estimate > 0 {
		calls = max(calls, min(MaxCalls, int(math.Ceil(c.Region(l2)/estimate))))
	}
	return calls + (arenas-calls%arenas)%arenas
}
