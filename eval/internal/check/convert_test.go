package check

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"darwarp/kernels"
)

// half describes a 16-bit format independently of the code under test.
type half struct {
	name      string
	dtype     kernels.DType
	mant      int
	bias      int
	fromBits  func(uint16) float32
	toBits    func(float64) uint16
	infinity  uint16
	lastValue uint16
}

var halves = []half{
	{"fp16", kernels.FP16, 10, 15, FP16Value, FP16Bits, 0x7c00, 0x7bff},
	{"bf16", kernels.BF16, 7, 127, BF16Value, BF16Bits, 0x7f80, 0x7f7f},
}

// value is the definition: (-1)^s * 2^(e-bias) * 1.m, or 0.m at the least exponent.
func (h half) value(b uint16) float64 {
	m := int(b) & (1<<h.mant - 1)
	e := int(b&0x7fff) >> h.mant
	sign := 1.0
	if b&0x8000 != 0 {
		sign = -1
	}
	switch {
	case b&0x7fff > h.infinity:
		return math.NaN()
	case b&0x7fff == h.infinity:
		return math.Inf(int(sign))
	case e == 0:
		return math.Copysign(math.Ldexp(float64(m), 1-h.bias-h.mant), sign)
	}
	return sign * math.Ldexp(float64(m+1<<h.mant), e-h.bias-h.mant)
}

func same(a, b float64) bool {
	return a == b && math.Signbit(a) == math.Signbit(b) || a != a && b != b
}

func TestEveryPattern(t *testing.T) {
	for _, h := range halves {
		for i := range 1 << 16 {
			b := uint16(i)
			want := h.value(b)
			if got := float64(h.fromBits(b)); !same(got, want) {
				t.Fatalf("%s %#04x = %g, want %g", h.name, b, got, want)
			}
			if got := h.toBits(want); want == want && got != b {
				t.Fatalf("%s bits of %g = %#04x, want %#04x", h.name, want, got, b)
			}
			if got := Round(h.dtype, want); !same(got, want) {
				t.Fatalf("%s Round(%g) = %g: not the identity", h.name, want, got)
			}
		}
		if b := h.toBits(math.NaN()); h.value(b) == h.value(b) {
			t.Errorf("%s: NaN became %#04x", h.name, b)
		}
	}
}

// TestTies walks every pair of neighbours: the middle goes to the even one, a hair off it to the nearer.
func TestTies(t *testing.T) {
	for _, h := range halves {
		for b := uint16(0); b <= h.lastValue; b++ {
			lo, hi := h.value(b), h.value(b+1)
			if b == h.lastValue { // beyond the last value, rounding acts as if the exponent went on
				hi = lo + (lo - h.value(b-1))
			}
			mid := lo + (hi-lo)/2
			even := b + b&1
			for _, c := range []struct {
				v    float64
				want uint16
			}{{mid, even}, {math.Nextafter(mid, 0), b}, {math.Nextafter(mid, math.Inf(1)), b + 1}} {
				if got := h.toBits(c.v); got != c.want {
					t.Fatalf("%s: %g -> %#04x, want %#04x", h.name, c.v, got, c.want)
				}
				if got := h.toBits(-c.v); got != c.want|0x8000 {
					t.Fatalf("%s: %g -> %#04x, want %#04x", h.name, -c.v, got, c.want|0x8000)
				}
			}
		}
	}
}

func TestRoundAgainstBig(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, h := range halves {
		least := math.Ldexp(1, 1-h.bias)
		for range 200_000 {
			v := math.Ldexp(rng.NormFloat64(), rng.IntN(2*h.bias)-h.bias)
			want, _ := new(big.Float).SetPrec(uint(h.mant + 1)).SetFloat64(v).Float64()
			if math.Abs(v) < least || math.Abs(want) > h.value(h.lastValue) {
				continue // subnormal or too large: TestTies has those
			}
			if got := Round(h.dtype, v); got != want {
				t.Fatalf("%s Round(%g) = %g, want %g", h.name, v, got, want)
			}
		}
	}
}

func TestRoundExtremes(t *testing.T) {
	for _, d := range []kernels.DType{kernels.FP16, kernels.BF16, kernels.FP32} {
		for _, v := range []float64{math.MaxFloat64, math.Inf(1), d.Max() * 1.01} {
			if got := Round(d, -v); !math.IsInf(got, -1) {
				t.Errorf("%s Round(%g) = %g, want -Inf", d, -v, got)
			}
		}
		for _, v := range []float64{math.SmallestNonzeroFloat64, math.Copysign(0, 1)} {
			if got := Round(d, -v); got != 0 || !math.Signbit(got) {
				t.Errorf("%s Round(%g) = %g, want -0", d, -v, got)
			}
		}
	}
	if got := Round(kernels.I32, 3e9); got != math.MaxInt32 {
		t.Errorf("int32 Round(3e9) = %g", got)
	}
}

func TestEncodeDecode(t *testing.T) {
	values := []float64{0, 1, -1.5, 3, -7, 42}
	for _, d := range []kernels.DType{kernels.FP16, kernels.BF16, kernels.FP32, kernels.I32} {
		b := Encode(d, values)
		if len(b) != len(values)*d.Size() {
			t.Fatalf("%s: %d bytes", d, len(b))
		}
		got := make([]float64, len(values))
		Decode(d, b, got)
		for i, v := range values {
			if want := Round(d, v); got[i] != want {
				t.Errorf("%s: %g became %g, want %g", d, v, got[i], want)
			}
		}
	}
}
