package check

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"darwarp/kernels"
)

// Outputs are refilled before every run that counts, with one of two kinds of values that cannot be predicted. Wild
// ones are NaNs of random bits, so that what a run leaves unwritten is wrong for certain and can be told from what
// it computed. Plausible ones are drawn from a palette and look like results: a kernel that behaves differently
// after a refill has nothing to detect one by.

// Wild makes a NaN of fp16 and bf16 of 16 random bits; two of them are a NaN of fp32. Arithmetic gives none of
// them: its NaNs have the payloads that Wild avoids.
func Wild(random uint16) uint16 {
	payload := random & 0x7f
	if usual(payload) {
		payload ^= 0x15
	}
	return random&0x8000 | 0x7f80 | payload
}

// Blank is the negative NaN of e4m3, which no saturating conversion of CUDA gives.
const Blank = 0xff

// Blanks are what outputs of one byte are filled with in the place of wild values, as each code may be an answer:
// Blank or any number, by a coin. So what is left unwritten is wrong, half of the time or more, also where the truth
// is NaN, as of numbers that a kernel knows not to matter.
func Blanks(n int, rng *rand.Rand) []byte {
	list := make([]byte, n)
	for i := range list {
		list[i] = Blank
		if rng.Uint64()&1 == 0 {
			list[i] = byte(rng.IntN(0x7f)) | byte(rng.IntN(2)<<7) // no NaN
		}
	}
	return list
}

// usual are the payloads of infinity and of the NaNs that processors make, and GPUs.
func usual(payload uint16) bool { return payload == 0 || payload == 0x40 || payload == 0x7f }

// Unwritten reports whether an element still holds what Wild made; of those that Blanks filled this tells half.
func Unwritten(element []byte) bool {
	if len(element) == 1 {
		return element[0] == Blank
	}
	for ; len(element) >= 2; element = element[2:] {
		h := binary.LittleEndian.Uint16(element)
		if h&0x7f80 != 0x7f80 || usual(h&0x7f) {
			return false
		}
	}
	return true
}

// PaletteSize is how many elements a palette holds: so many different values are enough to look like results, and few
// enough for a GPU to pick from at the memory's speed.
const PaletteSize = 1024

// PaletteUnit is how many bytes a GPU picks at once from a palette of outputs of the type: an element, or two of one
// byte.
func PaletteUnit(d kernels.DType) int { return max(2, d.Size()) }

// Palette is PaletteSize units of elements like those of an output with that truth, in no order: each is one of the
// truth's values times a random factor between 0.7 and 1.4, so that none is the answer.
func (t Truth) Palette(d kernels.DType, rng *rand.Rand) []byte {
	values := make([]float64, PaletteSize*PaletteUnit(d)/d.Size())
	for i := range values {
		v := t.Value[rng.IntN(len(t.Value))]
		if v-v != 0 {
			v = rng.NormFloat64()
		}
		values[i] = v * math.Exp2(rng.Float64()-0.5)
	}
	return Store(d, values)
}

// LowBits are the last bits of an element that may change without a value looking like no result: whole numbers
// have none.
func LowBits(d kernels.DType) uint32 {
	switch d {
	case kernels.FP16, kernels.BF16:
		return 0x3
	case kernels.FP32:
		return 0xfff
	}
	return 0
}
