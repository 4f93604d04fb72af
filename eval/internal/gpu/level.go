package gpu

import (
	"slices"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// level brings the caches to the same state before either replay: no line stays longer than others, and they are
// cold, or what the calls work on was read just now. On an H200 a repeat of a valid kernel then takes 0.98 to
// 1.01 of the fresh time, and without 0.88 to 1.
func (m *fresh) level(turn []int) error {
	s := m.s
	if err := s.drv.SyncStream(s.stream); err != nil { // lines are made ordinary at once, not in stream order
		return err
	}
	if err := s.persist(m.persists); err != nil {
		return err
	}
	if m.run.Cache == "cold" {
		return s.flushL2()
	}
	v, again := s.newInspection(), m.rewrites(turn)
	for _, set := range turn {
		a := m.arenas[set]
		for j, b := range s.prep.Cases[a.holds].Buffers {
			v.touch(a, again, zone{a.at[j], b.Bytes()})
		}
	}
	for _, k := range m.packedFor(turn) {
		v.touch(k.arena, again, k.zones()...)
	}
	return s.look(v)
}

// rewrites reports whether what the calls of a sample work on is written again, too, before either replay. What was
// packed, and inputs that come this once, are written before the first replay and not before the second, which finds
// copies of them in either half of L2 that the first has fetched there. Where weights may be packed it is the same for
// kernels that do and that do not: they fight each other. What L2 does not hold comes from memory in any case, and
// would only be written back while calls are timed.
func (m *fresh) rewrites(turn []int) bool {
	bytes, weights := 0, false
	for _, set := range turn {
		c := &m.s.prep.Cases[m.run.Cases[set]]
		weights = weights || slices.ContainsFunc(c.Buffers, func(b kernels.Buffer) bool { return b.Weights })
		for _, n := range device.Sizes(c.Buffers) {
			bytes += n
		}
	}
	return (m.run.Unseen || weights) && bytes <= m.s.dev.L2Bytes
}

// touch reads zones of an arena and, where they are to be written again, stores each word where it lies.
func (v *inspection) touch(a *arena, again bool, zones ...zone) {
	at := v.note(note{arena: a})
	for _, z := range zones {
		if again && uint64(z.at)+uint64(z.bytes) <= copyEnd {
			v.add(CopyKind, at, uint64(z.at), z)
		} else {
			v.add(HashKind, at, 0, z)
		}
	}
}
