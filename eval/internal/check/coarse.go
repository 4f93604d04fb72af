package check

import (
	"math"

	"darwarp/kernels"
)

// An output of one byte, e4m3, is so coarse that rounding to it is nearly all of its tolerance. Twice the unit
// roundoff, as other types have, would let a kernel round toward zero. So the model speaks of the number before it is
// rounded, which may be off by what an fp16 would be, and the element must be what some number that near rounds to, to
// nearest. What is too large saturates (cvt.rn.satfinite of PTX): truth beyond the largest number, infinity too, is
// that number.

// coarse reports whether outputs of the type are judged as numbers that are rounded once, from a finer type.
func coarse(d kernels.DType) bool { return d == kernels.E4M3 }

// computed is the type that an output's number is computed to, before it is stored.
func computed(d kernels.DType) kernels.DType {
	if coarse(d) {
		return kernels.FP16
	}
	return d
}

// least is a magnitude below which the numbers that an output is computed to may be taken for 0.
func least(d kernels.DType) float64 {
	if coarse(d) { // they are no subnormals of a finer type
		return kernels.FP32.SmallestNormal()
	}
	return d.SmallestNormal()
}

// saturated is v within the largest numbers of the type where it has no infinity. NaN stays.
func saturated(d kernels.DType, v float64) float64 {
	if !coarse(d) {
		return v
	}
	return max(-d.Max(), min(d.Max(), v))
}

// halfQuantum is the most that rounding a number of that magnitude to e4m3 changes: half of the distance of its
// neighbours, and of the least subnormal number where that is more.
func halfQuantum(v float64) float64 {
	exp := int(math.Float64bits(v)>>52&0x7ff) - 1023
	return math.Float64frombits(uint64(max(exp, e4m3.emin)-e4m3.mantissa-1+1023) << 52)
}

// stored is what an element should be, and how far off it may be on the side where it is: the number before rounding is
// off by less, and rounded there. Beyond the largest number only as much of the error counts as reaches below it.
func (t *tolerance) stored(got, ref, scale float64) (want, tol float64) {
	most := t.dtype.Max()
	if want = saturated(t.dtype, ref); want != want {
		return want, want
	}
	off, beyond := t.of(ref, scale), math.Abs(ref)-math.Abs(want)
	if off > beyond {
		off -= beyond
	} else { // also where both are infinite
		off = 0
	}
	edge := math.Abs(want) + off
	if want < 0 {
		got = -got
	}
	if got < math.Abs(want) {
		edge = math.Abs(math.Abs(want) - off)
	}
	return want, off + halfQuantum(min(edge, most))
}

// near8 is near for coarse types.
func (j *judge) near8(t *Tally, base int, got []float64) {
	for i, y := range got {
		scale := float64(j.truth.Scale[base+i])
		want, tol := j.tol.stored(y, j.truth.Value[base+i], scale)
		err := math.Abs(y - want)
		if !(err <= tol) || !(tol <= math.MaxFloat64) {
			j.odd(t, base+i, y, want, tol)
			continue
		}
		t.Err2 += err * err
		t.Ref2 += want * want
		t.Scale2 += scale * scale
		t.note(err/tol, base+i, y, want, tol)
	}
}
