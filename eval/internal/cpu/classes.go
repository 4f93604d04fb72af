package cpu

import (
	"math"
	"math/bits"

	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

func mix(x uint64) uint64 { return device.Mix(x) }

// unit maps 32 random bits to (0, 1).
func unit(bits uint32) float32 { return (float32(bits) + 0.5) * 0x1p-32 }

// normal is the Box-Muller transform of 64 random bits.
func normal(r uint64) float32 {
	radius := math.Sqrt(-2 * math.Log(float64(unit(uint32(r)))))
	return float32(radius * math.Cos(2*math.Pi*float64(unit(uint32(r>>32)))))
}

func signed(r uint64, v float32) float32 {
	if r>>40&1 == 1 {
		return -v
	}
	return v
}

// element is what the number of an input is made of.
type element struct {
	dtype   kernels.DType
	tensor  int
	i       uint64 // index
	r       uint64 // random bits of its own
	key     uint64 // of the tensor
	common  uint64 // of all tensors
	every   bool   // lines are of many classes
	neutral float32
	length  uint64 // of its line
	count   uint64 // lines
	line    uint64 // its number
	at      uint64 // its place there
	coins   uint64 // four, of which the variants of a class are made
}

// samples are the input classes of the GPU's harness: the same distributions from the same bits.
var samples = map[string]func(e *element) float32{
	"normal":  func(e *element) float32 { return normal(e.r) },
	"uniform": func(e *element) float32 { return unit(uint32(e.r)) },
	// Terms near 1 in magnitude whose sum nearly cancels: the first tensor alternates in sign.
	"cancel": func(e *element) float32 {
		v := 1 + unit(uint32(e.r))*spread(e.dtype)
		if e.tensor == 0 && e.i&1 == 1 {
			return -v
		}
		return v
	},
	// The first tensor picks few elements of the others: a wrong index gives a wrong number.
	"onehot": func(e *element) float32 {
		if e.tensor > 0 {
			return normal(mix(e.r))
		}
		if e.r&15 == 0 {
			return 1
		}
		return 0
	},
	// Magnitudes from 2^-5 to 2^5, so that a sum of a few thousand products still fits fp16.
	"wide": func(e *element) float32 {
		return signed(e.r, float32(math.Exp2(float64(unit(uint32(e.r))*10-5))))
	},
	// -1, 0, 1: every partial sum is an integer that fp32 holds exactly, in any order.
	"exact":    func(e *element) float32 { return float32(int(e.r%3) - 1) },
	"denormal": func(e *element) float32 { return signed(e.r, unit(uint32(e.r))*max(least(e.dtype), 0x1p-14)) },
	// Magnitudes from 2^5 to 2^10: exponentials overflow fp32, and sums of squares overflow fp16.
	"large": func(e *element) float32 {
		return signed(e.r, float32(math.Exp2(float64(unit(uint32(e.r))*5+5))))
	},
	// The first tensor far from 0 by its own measure: a variance as a difference of two means loses its digits.
	"offset": func(e *element) float32 {
		if e.tensor == 0 {
			return normal(e.r) + 256
		}
		return normal(e.r)
	},
	"extreme":  extreme,
	"constant": func(e *element) float32 { return normal(mix(e.key ^ mix(e.line))) },
	"zeros": func(e *element) float32 { // -0 is equal to 0, and other bits
		if e.coins&1 == 1 {
			return float32(math.Copysign(0, float64(signed(e.r, 1))))
		}
		return 0
	},
	// Lines begin with zeros, and half of them end with half as many. Half have some at each eighth of the line, too.
	"lead": func(e *element) float32 {
		zeros := max(e.length>>(1+mix(e.key^mix(e.line))&7), 1)
		if e.at < zeros || e.coins&1 == 1 && e.at+(zeros+1)/2 >= e.length || e.coins&2 != 0 && e.sampled() {
			return 0
		}
		return normal(e.r)
	},
	"tiny":    tiny,
	"huge":    huge,
	"needles": needle,
	"special": special,
	"shift":   shift,
	"outlier": outlier,
	"single":  single,
	"ordered": ordered,
	"alike":   likeOthers,
}

// sampled reports whether a number is beside an eighth of its line, where who tells a line by a few numbers looks. The
// last one is not.
func (e *element) sampled() bool {
	after := e.at + 1
	return e.length >= 32 && after < e.length && (e.at*8%e.length < 8 || after*8%e.length < 8)
}

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
	crowd, power := !last && e.coins&3 == 0, 5+5*odd
	if last {
		power = 7 + 3*odd
	}
	switch here := e.at == e.oddPlace(h); {
	case crowd && here:
		return normal(mix(h)) + (4 + 16*unit(uint32(h>>16)))
	case here && (e.coins == 3 || !last && e.coins&2 != 0):
		return -float32(math.Exp2(power))
	case here:
		return float32(math.Exp2(power))
	case e.coins&1 == 1:
		return normal(e.r)
	}
	return normal(mix(h)) // all others are equal
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
