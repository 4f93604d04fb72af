package check

import (
	"math"
	"testing"

	"darwarp/kernels"
)

// TestFloat8Codes: the values of all codes by the formats' definition (OCP 8-bit Floating Point Specification, table
// 1), each of which rounds to itself, and what lies between two neighbours to the nearer one, ties to the even one.
func TestFloat8Codes(t *testing.T) {
	for _, f := range []struct {
		d              kernels.DType
		mantissa, bias int
		last           uint8 // the code of the largest finite number
	}{{kernels.E4M3, 3, 7, 0x7e}, {kernels.E5M2, 2, 15, 0x7b}} {
		value := func(code uint8) float64 {
			e, m := int(code&0x7f)>>f.mantissa, float64(int(code)&(1<<f.mantissa-1))/float64(int(1)<<f.mantissa)
			v := math.Ldexp(1+m, e-f.bias)
			if e == 0 {
				v = math.Ldexp(m, 1-f.bias)
			}
			return math.Copysign(v, 0.5-float64(code>>7))
		}
		for code := range 256 {
			c := uint8(code)
			got := ByteValue(f.d, c)
			if c&0x7f > f.last {
				inf := f.d == kernels.E5M2 && c&0x7f == 0x7c
				if inf && !math.IsInf(got, 1-2*int(c>>7)) || !inf && got == got {
					t.Errorf("%s %#02x is %g", f.d, c, got)
				}
				continue
			}
			if want := value(c); got != want || math.Signbit(got) != math.Signbit(want) {
				t.Errorf("%s %#02x is %g, expected %g", f.d, c, got, want)
			}
			if back := ByteBits(f.d, float32(got)); back != c {
				t.Errorf("%s %#02x rounds to %#02x", f.d, c, back)
			}
			if c&0x7f < f.last {
				between(t, f.d, c, value(c), value(c+1))
			}
		}
	}
}

func between(t *testing.T, d kernels.DType, c uint8, v, next float64) {
	t.Helper()
	tie := float32((v + next) / 2)
	even := c + c&1
	toward := func(to float64) float32 { return math.Nextafter32(tie, float32(to)) }
	for _, x := range []struct {
		v    float32
		want uint8
	}{{tie, even}, {toward(v), c}, {toward(next), c + 1}} {
		if got := ByteBits(d, x.v); got != x.want {
			t.Errorf("%s: %g rounds to %#02x, expected %#02x", d, x.v, got, x.want)
		}
	}
}

func TestBytesBeyondTheirRange(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, c := range []struct {
		d    kernels.DType
		v    float32
		want uint8
	}{
		{kernels.E4M3, 464, 0x7e}, {kernels.E4M3, 1e30, 0x7e}, {kernels.E4M3, -1e30, 0xfe},
		{kernels.E4M3, inf, 0x7f}, {kernels.E4M3, -inf, 0xff}, {kernels.E4M3, nan, 0x7f},
		{kernels.E5M2, 61440, 0x7b}, {kernels.E5M2, math.MaxFloat32, 0x7b}, {kernels.E5M2, -inf, 0xfc},
		{kernels.E5M2, nan, 0x7f}, {kernels.E4M3, 0x1p-10, 0}, {kernels.E4M3, -0x1.8p-10, 0x81}, {kernels.E4M3, 1e-40, 0},
		{kernels.E8M0, 1, 127}, {kernels.E8M0, 1.41421, 127}, {kernels.E8M0, 1.41422, 128}, {kernels.E8M0, 0x1p-24, 103},
		{kernels.E8M0, 0, 0xff}, {kernels.E8M0, -1, 0xff}, {kernels.E8M0, inf, 0xff}, {kernels.E8M0, nan, 0xff},
		{kernels.I8, -1, 0xff}, {kernels.I8, -300, 0x80}, {kernels.I8, 300, 0x7f},
		{kernels.U8, 300, 0xff}, {kernels.U8, -1, 0},
	} {
		if got := ByteBits(c.d, c.v); got != c.want {
			t.Errorf("%s: %g is %#02x, expected %#02x", c.d, c.v, got, c.want)
		}
	}
	for code := range 255 { // 0xff is NaN
		if v := ByteValue(kernels.E8M0, uint8(code)); code > 0 && ByteBits(kernels.E8M0, float32(v)) != uint8(code) {
			t.Errorf("e8m0 %d is %g, and that is %d", code, v, ByteBits(kernels.E8M0, float32(v)))
		}
	}
}
