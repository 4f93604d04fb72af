package gpu

import (
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"slices"
)

// window covers the named tensors of an arena, from the first to the last. Where not all of it fits into the part of L2
// that persisting lines may take, the hit ratio says how much is to stay, so that lines do not push each other out
// (CUDA C++ Programming Guide, "L2 Persistence Example").
func (s *Session) window(names []string, c *device.Case, a *arena) cuda.AccessWindow {
	first, end := cuda.Ptr(0), cuda.Ptr(0)
	for i, b := range c.Buffers {
		if slices.Contains(names, b.Name) {
			if first == 0 {
				first = a.at[i]
			}
			end = a.at[i] + cuda.Ptr(b.Bytes())
		}
	}
	bytes := min(uint64(end-first), uint64(s.l2.window))
	if bytes == 0 {
		return cuda.AccessWindow{}
	}
	return cuda.AccessWindow{Base: first, Bytes: bytes, HitRatio: min(1, float32(s.l2.persisting)/float32(bytes))}
}

// l2 is what the device lets an access window have, in bytes, 0 where it knows none, and whether a part of L2 is set
// aside for persisting lines.
type l2 struct {
	window, persisting int
	aside              bool
}

// persist gives persisting lines their part of L2, or takes it back, and makes all lines normal ones: a contender
// without windows must find the whole cache, and nobody what was there before. Any kernel can ask for lines that are
// evicted last (PTX createpolicy), which can outlast a flush by writes of twice L2.
func (s *Session) persist(on bool) error {
	if s.l2.persisting == 0 { // the device knows no such lines
		return nil
	}
	if on != s.l2.aside {
		part := uint64(0)
		if on {
			part = uint64(s.l2.persisting)
		}
		if err := s.drv.SetLimit(cuda.LimitPersistingL2, part); err != nil {
			return err
		}
		s.l2.aside = on
	}
	return s.drv.ResetPersistingL2()
}
