package check

import (
	"math"

	"darwarp/kernels"
)

// float8 is a binary floating-point format of 8 bits: mantissa bits behind the leading one, the least normal exponent,
// the largest finite number, and the code of infinity. The code of NaN is 0x7f in both.
type float8 struct {
	mantissa, emin int
	largest        float64
	inf            uint8
}

var (
	e4m3 = float8{3, -6, 448, 0x7f}
	e5m2 = float8{2, -14, 57344, 0x7c}
)

// bits rounds once, to nearest and ties to even. What is too large saturates (__NV_SATFINITE of cuda_fp8.h), except
// infinity, which becomes NaN where the format has none (__NV_NOSAT).
func (f float8) bits(v float64) uint8 {
	sign := uint8(math.Float64bits(v) >> 56 & 0x80)
	switch {
	case v != v:
		return 0x7f
	case math.IsInf(v, 0):
		return sign | f.inf
	}
	least := math.Ldexp(1, f.emin)
	mag := min(math.Abs(round(v, f.mantissa, f.emin, math.MaxFloat32)), f.largest)
	if mag < least { // a whole number of the subnormal quantum
		return sign | uint8(math.Ldexp(mag/least, f.mantissa))
	}
	exponent := int(math.Float64bits(mag)>>52) - 1023 - f.emin + 1
	fraction := math.Float64bits(mag) >> (52 - f.mantissa) & (1<<f.mantissa - 1)
	return sign | uint8(exponent<<f.mantissa) | uint8(fraction)
}

// e8m0Bits is the code of the power of two that is nearest to v by their ratio; NaN where v is not positive and finite.
func e8m0Bits(v float32) uint8 {
	if !(v > 0) || math.IsInf(float64(v), 0) {
		return 0xff
	}
	const aboveRoot = 0x800000 - 0x3504f4 // mantissas from that of the square root of 2 on carry into the exponent
	return uint8(min((math.Float32bits(v)+aboveRoot)>>23, 254))
}

// ByteBits is the code of v in a type of one byte, rounded to nearest. Numbers that are too large saturate, and
// infinities of e4m3, which has none, are NaN.
func ByteBits(d kernels.DType, v float32) uint8 {
	switch d {
	case kernels.E4M3:
		return e4m3.bits(float64(v))
	case kernels.E5M2:
		return e5m2.bits(float64(v))
	case kernels.E8M0:
		return e8m0Bits(v)
	case kernels.I8:
		return uint8(int8(max(-128, min(127, v))))
	}
	return uint8(max(0, min(255, v)))
}

// ByteValue is the number that a code of a type of one byte stands for.
func ByteValue(d kernels.DType, code uint8) float64 {
	switch {
	case d == kernels.E4M3 && code&0x7f == 0x7f, d == kernels.E8M0 && code == 0xff:
		return math.NaN()
	case d == kernels.E4M3: // the exponents' biases are 7 and, in fp16, 15
		return 256 * float64(FP16Value(uint16(code&0x80)<<8|uint16(code&0x7f)<<7))
	case d == kernels.E5M2:
		return float64(FP16Value(uint16(code) << 8))
	case d == kernels.E8M0:
		return math.Ldexp(1, int(code)-127)
	case d == kernels.I8:
		return float64(int8(code))
	}
	return float64(code)
}

// E2M1 is the number that a code of four bits stands for in MXFP4: a sign, two bits of exponent with the bias 1, one of
// mantissa (OCP Microscaling Formats Specification, 5.3.3).
func E2M1(code uint8) float64 {
	v := [...]float64{0, 0.5, 1, 1.5, 2, 3, 4, 6}[code&7]
	if code&8 != 0 {
		return math.Copysign(v, -1)
	}
	return v
}
