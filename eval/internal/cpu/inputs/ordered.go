package inputs

import "math"

// ordered: numbers rise along a line, or fall; or rise but for few; or one in 2 to 128 of them, that many apart, is
// above the others: what is greatest stands together, or where one thread of a warp meets all of it.
func ordered(e *element) float32 {
	h := mix(e.key ^ mix(e.line))
	rising := grid((float32(e.at)+0.5)*(8/float32(e.length)) - 4)
	switch e.coins & 3 {
	case 0:
		return grid(normal(h)) + rising
	case 1:
		return grid(normal(h)) - rising
	case 2:
		if e.r>>32&63 == 0 {
			return normal(e.r) * 4
		}
		return rising
	}
	if apart := uint64(2) << (h >> 32 % 7); e.at%apart == h>>40%apart {
		return normal(e.r) + 8
	}
	return normal(e.r)
}

// grid is the nearest number of few bits, so that some are equal, and some half-way between codes.
func grid(v float32) float32 { return float32(math.RoundToEven(float64(v*64))) / 64 }

// likeOthers: lines of all inputs are nearly one, which is normal: equal, or off by a part in 8 to 512, as far as the
// type tells. Their differences cancel, and what is a neighbour's looks right.
func likeOthers(e *element) float32 {
	v := normal(mix(e.common ^ mix(e.at)))
	if e.coins&3 == 0 {
		return v
	}
	return v + normal(e.r)*float32(math.Ldexp(1, -12+3*int(e.coins&3)))
}
