package cpu

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

func (s *Session) coin() bool               { return device.Coin(s.rng) }
func (s *Session) anyRefill() device.Refill { return device.Refill(s.coin()) }

// refillOutputs fills the outputs of an arena with something new.
func (s *Session) refillOutputs(a *arena, how device.Refill) {
	c := &s.prep.Cases[a.holds]
	palette := s.prep.Palettes[device.PaletteCase(s.prep.Cases, a.holds)]
	for j, b := range c.Buffers {
		if !b.Out {
			continue
		}
		values := palette[:min(len(palette), check.PaletteSize*check.PaletteUnit(b.DType))]
		palette = palette[len(values):]
		fillWith(a.buffers[j], how, values, b.DType, s.rng)
	}
}

// refillScratch fills scratch with something new, as the plan says: `once` scratch is clear before a first call.
func (s *Session) refillScratch(a *arena, list []kernels.Scratch, how device.Refill) {
	for j, sc := range list {
		if sc.Once {
			clear(a.buffers[j])
		} else {
			fillWith(a.buffers[j], how, nil, kernels.FP32, s.rng)
		}
	}
}

// stay puts back into scratch what a call has left there, except where it is clear before a first call.
func stay(a *arena, list []kernels.Scratch, left [][]byte) {
	for j := range left {
		if !list[j].Once {
			copy(a.buffers[j], left[j])
		}
	}
}

// contents are copies of an arena's buffers.
func contents(a *arena) (list [][]byte) {
	for _, b := range a.buffers {
		list = append(list, bytes.Clone(b))
	}
	return list
}

// fillWith fills memory with NaNs of random bits, or with values of a palette whose last bits are random; without a
// palette with ordinary numbers.
func fillWith(dst []byte, how device.Refill, palette []byte, d kernels.DType, rng *rand.Rand) {
	size := d.Size()
	if how == device.Wild && size == 1 {
		copy(dst, check.Blanks(len(dst), rng))
		return
	}
	if how == device.Wild {
		for ; len(dst) >= 2; dst = dst[2:] {
			binary.LittleEndian.PutUint16(dst, check.Wild(uint16(rng.Uint64())))
		}
		for i := range dst {
			dst[i] = byte(rng.Uint64())
		}
		return
	}
	if len(palette) < size {
		palette = check.Truth{Value: []float64{1, -1, 2, -2, 0.5, -0.5}}.Palette(d, rng)
	}
	for len(dst) >= size {
		at := rng.IntN(len(palette)/size) * size
		copy(dst, palette[at:at+size])
		if low := check.LowBits(d) & uint32(rng.Uint64()); size > 1 {
			dst[0], dst[1] = dst[0]^byte(low), dst[1]^byte(low>>8)
		}
		dst = dst[size:]
	}
	for i := range dst {
		dst[i] = byte(rng.Uint64())
	}
}
