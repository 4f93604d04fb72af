package gpu

import (
	"darwarp/eval/internal/cuda"
	"darwarp/kernels"
)

// guardBytes is the width of the zone between buffers: wider than any tile row that a kernel could
// write past the end of a matrix.
const guardBytes = 64 << 10

// zone is a stretch of device memory that nobody may write to.
type zone struct {
	at    cuda.Ptr
	bytes int
}

// arena is the buffers of one call in one allocation, with a guard zone before, between and after
// them. A zone begins at the very byte where a buffer ends.
type arena struct {
	base  cuda.Ptr
	bytes int
	at    []cuda.Ptr // by buffer
	zones []zone
}

// ArenaBytes is the device memory that the case's buffers take.
func (c *Case) ArenaBytes() int {
	_, total := layout(sizesOf(c.Buffers))
	return total
}

func sizesOf(bufs []kernels.Buffer) []int {
	sizes := make([]int, len(bufs))
	for i, b := range bufs {
		sizes[i] = b.Bytes()
	}
	return sizes
}

// layout places buffers of the given sizes: their offsets, 256-byte aligned, and the whole size.
func layout(sizes []int) (offsets []int, total int) {
	at := guardBytes
	for _, n := range sizes {
		offsets = append(offsets, at)
		at = align(at+n) + guardBytes
	}
	return offsets, at
}

// newArena lays buffers out over an allocation.
func newArena(base cuda.Ptr, sizes []int) *arena {
	offsets, total := layout(sizes)
	a := &arena{base: base, bytes: total}
	end := 0
	for i, off := range offsets {
		a.at = append(a.at, base+cuda.Ptr(off))
		a.zones = append(a.zones, zone{base + cuda.Ptr(end), off - end})
		end = off + sizes[i]
	}
	a.zones = append(a.zones, zone{base + cuda.Ptr(end), total - end})
	return a
}
