package inputs

import (
	"math"

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
	// Where lines are of many classes, a quarter has a single number that is none: who takes parts of a line for zeros by
	// some of their numbers sees none of it.
	"lead": func(e *element) float32 {
		h := mix(e.key ^ mix(e.line))
		if e.every && device.Sparse(e.coins) {
			return e.only(h)
		}
		zeros := max(e.length>>(1+h&7), 1)
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

// only is 0 but at one place of the line. h are random bits of the line.
func (e *element) only(h uint64) float32 {
	if e.at != mix(h)%e.length {
		return 0
	}
	return signed(e.r, 0.5+unit(uint32(e.r)))
}
