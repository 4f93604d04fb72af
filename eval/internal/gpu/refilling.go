package gpu

import (
	"encoding/binary"
	"slices"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// Refilling is a stretch of memory that dw_refill, or dw_poison on its way, fills: struct Refilling of harness.cu.
type Refilling struct {
	At      uint64 // 16-byte aligned
	Bytes   int
	Key     uint64
	Palette uint64 // where values to fill with lie; 0: NaNs
	Size    int    // bytes of what a palette has 1024 of, 2 or 4; 0: with zeros
	Low     uint32 // bits of an element that may be other than the value's
}

// How they travel: as the argument of a launch, like regions.
const (
	refillsPerLaunch = 16
	refillingBytes   = 40
)

// EncodeRefills is up to refillsPerLaunch of them as harness.cu has them (struct Refillings), written over what arg
// holds.
func EncodeRefills(arg []byte, list []Refilling) []byte {
	arg = slices.Grow(arg[:0], refillsPerLaunch*refillingBytes+8)
	for _, r := range list {
		arg = binary.LittleEndian.AppendUint64(arg, r.At)
		arg = binary.LittleEndian.AppendUint64(arg, uint64(r.Bytes))
		arg = binary.LittleEndian.AppendUint64(arg, r.Key)
		arg = binary.LittleEndian.AppendUint64(arg, r.Palette)
		arg = binary.LittleEndian.AppendUint32(arg, uint32(r.Size))
		arg = binary.LittleEndian.AppendUint32(arg, r.Low)
	}
	used := len(arg)
	arg = arg[:refillsPerLaunch*refillingBytes]
	clear(arg[used:])
	return binary.LittleEndian.AppendUint64(arg, uint64(len(list)))
}

// outputRefills are the outputs of an arena, to be filled with something new.
func (s *Session) outputRefills(a *arena, how device.Refill) (list []Refilling) {
	out := 0
	for j, b := range s.prep.Cases[a.holds].Buffers {
		if b.Out {
			values := s.palettes.output(a.holds, out, b.DType)
			list = append(list, s.refilling(a.at[j], b.Bytes(), how, values, b.DType))
			out++
		}
	}
	return list
}

// scratchRefills are scratch buffers, to be filled with something new as the plan says: `once` scratch is clear before
// a first call.
func (s *Session) scratchRefills(a *arena, scratch []kernels.Scratch, how device.Refill) (list []Refilling) {
	if a == nil {
		return nil
	}
	for j, sc := range scratch {
		if sc.Once {
			list = append(list, Refilling{At: uint64(a.at[j]), Bytes: sc.Bytes})
			continue
		}
		values := s.palettes.ordinary(kernels.FP32)
		list = append(list, s.refilling(a.at[j], sc.Bytes, how, values, kernels.FP32))
	}
	return list
}

func (s *Session) refilling(at cuda.Ptr, bytes int, how device.Refill, values cuda.Ptr, d kernels.DType) Refilling {
	switch {
	case how == device.Wild && d.Size() == 1:
		values = s.palettes.blank(d)
	case how == device.Wild:
		values = 0
	}
	return Refilling{uint64(at), bytes, s.rng.Uint64(), uint64(values), check.PaletteUnit(d), check.LowBits(d)}
}

// refill queues the filling of stretches.
func (s *Session) refill(list ...Refilling) error {
	const each = 16 * threads // bytes of a block in one go
	for len(list) > 0 {
		n := min(len(list), refillsPerLaunch)
		most := 0
		for _, r := range list[:n] {
			most = max(most, r.Bytes)
		}
		s.encoding.refills = EncodeRefills(s.encoding.refills, list[:n])
		if err := s.harness.run("dw_refill", s.blocksFor((most+each-1)/each), bytesArg(s.encoding.refills)); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// fewBytes is how much is filled on the way of another kernel, with a block on each multiprocessor: more is filled
// faster by a launch of its own than what that takes.
const fewBytes = 4 << 20

// fewRefills reports whether one launch of another kernel may fill all of it.
func fewRefills(list []Refilling) bool {
	sum := 0
	for _, r := range list {
		sum += r.Bytes
	}
	return len(list) <= refillsPerLaunch && sum <= fewBytes
}
