package inputs

import (
	"math"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// shift: each line is around a number of its own, from 8 to 128, often near that, and of either sign: exponentials of
// all of them are 0, or too large.
func shift(e *element) float32 {
	h := mix(e.key ^ mix(e.line))
	u := unit(uint32(h))
	power := float64(3 + 2*u)
	if e.coins&2 != 0 {
		power = float64(7 - 2*u*u)
	}
	return normal(e.r) + float32(math.Copysign(math.Exp2(power), 0.5-float64(e.coins&1)))
}

// oddPlace is where the odd one of a line stands. h are random bits of the line.
func (e *element) oddPlace(h uint64) uint64 { return device.OddPlace(h, e.coins, e.length) }

// outlier: one number of each line stands out from the others, which are normal, or all equal. In some it is
// only 4 to 20 more than all others, which are equal: of exponentials many that are small count as much together as the
// large one. At the end of its line it is large in any case, and mostly positive: nothing but that shows what a loop's
// tail leaves out.
func outlier(e *element) float32 {
	h, last, odd := mix(e.key^mix(e.line)), e.coins>>2 == 0, float64(unit(uint32(e.r)))
	equal := apartFrom0(normal(mix(h)))
	crowd, power := !last && e.coins&3 == 0, 5+5*odd
	if last {
		power = 7 + 3*odd
	}
	switch here := e.at == e.oddPlace(h); {
	case crowd && here:
		return equal + (4 + 16*unit(uint32(h>>16)))
	case here && (e.coins == 3 || !last && e.coins&2 != 0):
		return -float32(math.Exp2(power))
	case here:
		return float32(math.Exp2(power))
	case e.coins&1 == 1:
		return normal(e.r)
	}
	return equal
}

// leastEqual is the least that the equal numbers beside an outlier are. A product of such a line and one of class shift
// is a number of up to 2^17 and many that are c(s + x), x normal. Where c is much less than a unit in the last place of
// their sum, all of them are rounded to the same side, from either end: 32,768 terms err by 8,000 u S1 then, where a
// bound of rounding errors whose mean is 0 (Higham, Mary: A new approach to probabilistic rounding error analysis, SIAM
// J. Sci. Comput. 41, 2019) allows 2,048. The mean error of a rounded normal number is at most exp(-2 (pi d)^2)/pi
// units, d being its deviation in units (Widrow, Kollar, Liu: Statistical theory of quantization, IEEE Trans. Instrum.
// Meas. 45, 1996): none to speak of from a half on. A unit is 2^-6 at 2^17, and 2^-5 where 131,072 terms add as much.
const leastEqual = 0x1p-6

// apartFrom0 is v, or the number of its sign that is leastEqual from 0 where it is nearer.
func apartFrom0(v float32) float32 {
	return float32(math.Copysign(max(math.Abs(float64(v)), leastEqual), float64(v)))
}

// needle: up to device.MostNeedles terms of a line count, one in each of as many parts of it, at a random place;
// the first and the last of the line in half of all lines, and always where there is one line. The others are dust.
func needle(e *element) float32 {
	n := uint64(device.MostNeedles)
	if e.length < 2*n {
		n = (e.length + 1) / 2
	}
	part := e.at * n / e.length
	begin, end := (part*e.length+n-1)/n, ((part+1)*e.length+n-1)/n
	h := mix(e.key ^ mix(e.line*n+part))
	place, outer := begin+h%(end-begin), h>>63 == 1 || e.count == 1
	switch {
	case part == 0 && outer:
		place = 0
	case part == n-1 && outer:
		place = e.length - 1
	}
	if e.at != place {
		return e.dust()
	}
	return signed(e.r, 0.5+unit(uint32(e.r)))
}

// dust is what is between needles: the neutral number, but where this is 0 one so small that no sum tells it from 0. A
// kernel that leaves zeros out is none the quicker for needles. 2^-24 is the smallest number of fp16. An e4m3 has none
// that is small enough.
func (e *element) dust() float32 {
	size := 1 + unit(uint32(e.r))
	switch {
	case e.neutral != 0:
		return e.neutral
	case e.dtype == kernels.FP16:
		return signed(e.r, size*0x1p-24)
	case e.dtype == kernels.BF16, e.dtype == kernels.FP32:
		return signed(e.r, size*0x1p-40)
	}
	return 0
}

// single: one term of a line counts, the others are neutral.
func single(e *element) float32 {
	if e.at != e.oddPlace(mix(e.key^mix(e.line))) {
		return e.neutral
	}
	return signed(e.r, 0.5+unit(uint32(e.r)))
}
