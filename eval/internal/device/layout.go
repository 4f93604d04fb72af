package device

import "darwarp/kernels"

// GuardBytes is the width of the zone between buffers: wider than any tile row that a kernel could
// write past the end of a matrix.
const GuardBytes = 64 << 10

// ArenaBytes is the device memory that the case's buffers take.
func (c *Case) ArenaBytes() int {
	_, total := Layout(Sizes(c.Buffers))
	return total
}

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
