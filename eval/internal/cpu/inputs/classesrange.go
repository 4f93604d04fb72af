package inputs

import (
	"math"
	"math/bits"

	"darwarp/kernels"
)

// extreme is near the end of the type, where the sum of a line is still within it.
func extreme(e *element) float32 {
	power := 122 - bits.Len64(e.length-1)
	switch e.dtype {
	case kernels.FP16, kernels.E5M2:
		power = 14
	case kernels.E4M3:
		power = 7
	}
	return signed(e.r, float32(math.Ldexp(float64(1+unit(uint32(e.r))), power)))
}

// least is the smallest normal number of a type.
func least(d kernels.DType) float32 {
	switch d {
	case kernels.FP16, kernels.E5M2:
		return 0x1p-14
	case kernels.E4M3:
		return 0x1p-6
	}
	return 0x1p-126
}

// spread is how far numbers near 1 are from it, so that there are some of them in a type.
func spread(d kernels.DType) float32 {
	switch d {
	case kernels.E4M3:
		return 0x1p-2
	case kernels.E5M2:
		return 0x1p-1
	}
	return 0x1p-6
}

// tiny: every other line is small, as small as any, each by its own measure; the rest below the smallest normal number
// of the type.
func tiny(e *element) float32 {
	if e.coins&1 == 1 {
		return float32(math.Ldexp(float64(normal(e.r)), e.small()))
	}
	return signed(e.r, unit(uint32(e.r))*least(e.dtype))
}

// small is the power of two that the small numbers of a line are about.
func (e *element) small() int {
	switch e.dtype {
	case kernels.E4M3:
		return -5
	case kernels.E5M2:
		return -12
	}
	if h := mix(e.key ^ e.line); e.coins&2 != 0 && e.dtype != kernels.FP16 {
		return -20 - int(h>>32&63)
	}
	return -20
}

// huge: lines that add up to a hundred thousand and more, or to millions; types of few exponents go to the end of their
// range.
func huge(e *element) float32 {
	switch {
	case e.coins&1 == 1 && e.dtype == kernels.E4M3:
		return normal(e.r) * 64
	case e.coins&1 == 1:
		return normal(e.r) * 4096
	case e.dtype == kernels.E4M3:
		return signed(e.r, (1+unit(uint32(e.r)))*0x1p7)
	case e.dtype == kernels.FP16 || e.dtype == kernels.E5M2:
		return signed(e.r, (1+unit(uint32(e.r)))*0x1p14)
	}
	return normal(e.r) * 0x1p24
}
