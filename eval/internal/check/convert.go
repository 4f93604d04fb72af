package check

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"darwarp/kernels"
)

// FP16Value is the number that an IEEE binary16 pattern stands for. Every NaN becomes the one NaN.
func FP16Value(b uint16) float32 {
	// The exponent field sits where float32's low exponent bits are, and is 112 short of its bias.
	f := math.Float32frombits(uint32(b&0x7fff)<<13 + 112<<23)
	switch b & 0x7c00 {
	case 0: // not by way of a subnormal float32, with which processors take a hundred cycles
		f = float32(b&0x3ff) * 0x1p-24
	case 0x7c00:
		f = float32(math.Inf(1))
		if b&0x3ff != 0 {
			return float32(math.NaN())
		}
	}
	return math.Float32frombits(math.Float32bits(f) | uint32(b&0x8000)<<16)
}

// BF16Value is the number that a bfloat16 pattern stands for: the upper half of a float32.
func BF16Value(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// FP16Bits rounds v once, to nearest and ties to even, to the binary16 pattern. NaN becomes 0x7fff,
// as the hardware's conversion gives.
func FP16Bits(v float64) uint16 {
	if v != v {
		return 0x7fff
	}
	r := Round(kernels.FP16, v)
	sign := uint16(math.Float64bits(r) >> 48 & 0x8000)
	mag := math.Abs(r)
	switch {
	case mag < 0x1p-14: // a whole number of the subnormal quantum
		return sign | uint16(mag*0x1p24)
	case mag > 65504:
		return sign | 0x7c00
	}
	return sign | uint16(math.Float32bits(float32(mag*0x1p-112))>>13)
}

// BF16Bits rounds v once, to nearest and ties to even, to the bfloat16 pattern. NaN becomes 0x7fff.
func BF16Bits(v float64) uint16 {
	if v != v {
		return 0x7fff
	}
	return uint16(math.Float32bits(float32(Round(kernels.BF16, v))) >> 16)
}

// Round is v rounded once to the type, to nearest with ties to even: subnormals are kept and what is
// too large becomes Inf. int32 and e4m3 saturate.
func Round(d kernels.DType, v float64) float64 {
	switch d {
	case kernels.FP16:
		return round(v, 10, -14, 65504)
	case kernels.BF16:
		return round(v, 7, -126, 0x1.fep127)
	case kernels.FP32:
		return float64(float32(v))
	case kernels.E4M3:
		return saturated(d, round(v, e4m3.mantissa, e4m3.emin, math.MaxFloat32))
	}
	return max(math.MinInt32, min(math.MaxInt32, math.RoundToEven(v)))
}

// round keeps mant bits behind the leading one, fewer below the exponent emin.
func round(v float64, mant, emin int, largest float64) float64 {
	if v == 0 || v-v != 0 {
		return v
	}
	exp := int(math.Float64bits(v)>>52&0x7ff) - 1023
	quantum := math.Float64frombits(uint64(max(exp, emin)-mant+1023) << 52)
	// v/quantum is below 2^53, so adding 1.5*2^52 quanta leaves no bit below the quantum: the
	// addition itself rounds to nearest even.
	if math.Abs(v) > 2*largest {
		return math.Copysign(math.Inf(1), v)
	}
	shift := 0x1.8p52 * quantum
	r := (v + shift) - shift
	if math.Abs(r) > largest {
		r = math.Inf(1)
	}
	return math.Copysign(r, v)
}

// Encode writes values as elements of the type, each rounded once. Little-endian, as the devices are.
func Encode(d kernels.DType, values []float64) []byte {
	out := make([]byte, len(values)*d.Size())
	for i, v := range values {
		switch d {
		case kernels.FP16:
			binary.LittleEndian.PutUint16(out[2*i:], FP16Bits(v))
		case kernels.BF16:
			binary.LittleEndian.PutUint16(out[2*i:], BF16Bits(v))
		case kernels.FP32:
			binary.LittleEndian.PutUint32(out[4*i:], math.Float32bits(float32(v)))
		case kernels.I32:
			binary.LittleEndian.PutUint32(out[4*i:], uint32(int32(Round(d, v))))
		default:
			out[i] = ByteBits(d, float32(v))
		}
	}
	return out
}

// Store is Encode as kernels write outputs: an infinity saturates, too, where the type has none.
func Store(d kernels.DType, values []float64) []byte {
	if coarse(d) {
		values = slices.Clone(values)
		for i, v := range values {
			values[i] = saturated(d, v)
		}
	}
	return Encode(d, values)
}

// Decode reads len(dst) elements of the type from src, which must hold at least as many.
func Decode(d kernels.DType, src []byte, dst []float64) {
	src = src[:len(dst)*d.Size()]
	switch d {
	case kernels.FP16:
		for i := range dst {
			dst[i] = float64(FP16Value(binary.LittleEndian.Uint16(src[2*i:])))
		}
	case kernels.BF16:
		for i := range dst {
			dst[i] = float64(BF16Value(binary.LittleEndian.Uint16(src[2*i:])))
		}
	case kernels.FP32:
		for i := range dst {
			dst[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(src[4*i:])))
		}
	case kernels.I32:
		for i := range dst {
			dst[i] = float64(int32(binary.LittleEndian.Uint32(src[4*i:])))
		}
	case kernels.I64:
		for i := range dst {
			dst[i] = float64(int64(binary.LittleEndian.Uint64(src[8*i:])))
		}
	case kernels.E4M3, kernels.E5M2, kernels.E8M0, kernels.I8, kernels.U8, kernels.Mask:
		for i := range dst {
			dst[i] = ByteValue(d, src[i])
		}
	default:
		panic(fmt.Sprintf("check: no decoder for dtype %q", d))
	}
}
