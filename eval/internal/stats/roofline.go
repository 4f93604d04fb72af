package stats

import "darwarp/kernels"

// belowRoof is how far below the floor a time may lie before it is suspect: the ceilings are measured
// themselves.
const belowRoof = 0.95

// Floor is the least time in ns that a call of flops operations and bytes of traffic can take on a device with these
// measured ceilings. With a hot cache the bytes may come from L2. With a cold cache count only what must be read: an
// output smaller than L2 need not reach memory within the call. An unknown ceiling (0) limits nothing.
func Floor(flops, bytes float64, c kernels.Ceilings, cache string) float64 {
	bandwidth := c.Bandwidth
	if cache == "hot" {
		bandwidth = c.L2
	}
	floor := 0.0
	if c.Matrix > 0 {
		floor = flops / c.Matrix
	}
	if bandwidth > 0 {
		floor = max(floor, bytes/bandwidth)
	}
	return floor * 1e9
}

// Suspicious reports whether a time is faster than the hardware can be: a cheat or a broken timer.
func Suspicious(ns, floor float64) bool { return ns < belowRoof*floor }
