package device

import "darwarp/kernels"

// Alignment is what every buffer begins at a multiple of, in bytes: what cudaMalloc gives, and more than any vector
// access wants.
const Alignment = 256

// Align rounds up to where the next buffer may begin.
func Align(n int) int { return (n + Alignment - 1) &^ (Alignment - 1) }

// GuardBytes is the width of the zone between buffers: wider than any tile row that a kernel could
// write past the end of a matrix.
const GuardBytes = 64 << 10

// ArenaBytes is the device memory that the case's buffers take.
func (c *Case) ArenaBytes() int {
	_, total := Layout(Sizes(c.Buffers))
	return total
}

// mapped is the unit of memory on today's GPUs, in bytes (the driver's allocation granularity).
const mapped = 2 << 20

// MappedBytes is the device memory that an arena of the case takes from a plan: whole units.
func (c *Case) MappedBytes() int { return (c.ArenaBytes() + mapped - 1) / mapped * mapped }

// Sizes are the bytes of each buffer.
func Sizes(bufs []kernels.Buffer) []int {
	sizes := make([]int, len(bufs))
	for i, b := range bufs {
		sizes[i] = b.Bytes()
	}
	return sizes
}

// Layout places buffers of the given sizes: their offsets, 256-byte aligned, and the whole size.
func Layout(sizes []int) (offsets []int, total int) {
	at := GuardBytes
	for _, n := range sizes {
		offsets = append(offsets, at)
		at = Align(at+n) + GuardBytes
	}
	return offsets, at
}
