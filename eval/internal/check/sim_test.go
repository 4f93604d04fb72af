package check

import (
	"math"
	"math/rand/v2"

	"darwarp/kernels"
)

// Simulated kernels: dot products in the orders and precisions that real ones use.

type dot struct {
	name string
	sum  func(a, b []float32) float64 // of one output element; b is a column
}

func sequential(a, b []float32) float64 {
	s := float32(0)
	for i, x := range a {
		s += x * b[i]
	}
	return float64(s)
}

// fused rounds product and sum once, as an FMA does. The float64 product of two float32 is exact.
func fused(a, b []float32) float64 {
	s := float32(0)
	for i, x := range a {
		s = float32(float64(s) + float64(x)*float64(b[i]))
	}
	return float64(s)
}

// parts adds partial sums of n terms.
func parts(n int) func(a, b []float32) float64 {
	return func(a, b []float32) float64 {
		s := float32(0)
		for lo := 0; lo < len(a); lo += n {
			hi := min(lo+n, len(a))
			s += float32(fused(a[lo:hi], b[lo:hi]))
		}
		return float64(s)
	}
}

// splitK has four workers on a quarter each.
func splitK(a, b []float32) float64 { return parts((len(a)+3)/4)(a, b) }

func pairwise(a, b []float32) float64 {
	if len(a) <= 2 {
		return fused(a, b)
	}
	h := len(a) / 2
	return float64(float32(pairwise(a[:h], b[:h])) + float32(pairwise(a[h:], b[h:])))
}

// towardZero cuts off after every term.
func towardZero(a, b []float32) float64 {
	s := 0.0
	for i, x := range a {
		s = cutOff(s + float64(x)*float64(b[i]))
	}
	return s
}

// cutOff rounds to float32 toward zero.
func cutOff(s float64) float64 {
	if f := float32(s); math.Abs(float64(f)) > math.Abs(s) {
		return float64(math.Nextafter32(f, 0))
	}
	return float64(float32(s))
}

// truncated is a matrix unit that adds 16 products exactly and cuts the sum off to float32.
func truncated(a, b []float32) float64 {
	s := 0.0
	for lo := 0; lo < len(a); lo += 16 {
		for i := lo; i < min(lo+16, len(a)); i++ {
			s += float64(a[i]) * float64(b[i])
		}
		s = cutOff(s)
	}
	return s
}

// halfUnit is a matrix unit with a half-precision accumulator, promoted to float32 every promote terms
// (0: never).
func halfUnit(promote int) func(a, b []float32) float64 {
	return func(a, b []float32) float64 {
		total, s := float32(0), 0.0
		for lo := 0; lo < len(a); lo += 16 {
			for i := lo; i < min(lo+16, len(a)); i++ {
				s += float64(a[i]) * float64(b[i])
			}
			s = Round(kernels.FP16, s)
			if promote > 0 && (lo+16)%promote == 0 {
				total, s = total+float32(s), 0
			}
		}
		return float64(total) + s
	}
}

// halfChain adds one product after the other in half precision.
func halfChain(a, b []float32) float64 {
	s := 0.0
	for i, x := range a {
		s = Round(kernels.FP16, s+float64(x)*float64(b[i]))
	}
	return s
}

// tf32 rounds the inputs to 11 significant bits, bf16Inputs to 8.
func tf32(a, b []float32) float64       { return narrow(10)(a, b) }
func bf16Inputs(a, b []float32) float64 { return narrow(7)(a, b) }

func narrow(bits int) func(a, b []float32) float64 {
	cut := func(x float32) float64 { return round(float64(x), bits, -126, math.MaxFloat32) }
	return func(a, b []float32) float64 {
		s := float32(0)
		for i, x := range a {
			s = float32(float64(s) + cut(x)*cut(b[i]))
		}
		return float64(s)
	}
}

// dropped forgets one term.
func dropped(a, b []float32) float64 {
	i := len(a) / 2
	return sequential(a[:i], b[:i]) + sequential(a[i+1:], b[i+1:])
}

var orders = []dot{
	{"sequential", sequential}, {"fused", fused}, {"tiles of 32", parts(32)},
	{"split-K", splitK}, {"pairwise", pairwise}, {"truncated", truncated},
}

// inputClass fills one operand, element by element along K.
type inputClass struct {
	name string
	fill func(rng *rand.Rand, k int, second bool) float64
}

var inputClasses = []inputClass{
	{"normal", func(r *rand.Rand, _ int, _ bool) float64 { return r.NormFloat64() }},
	{"uniform", func(r *rand.Rand, _ int, _ bool) float64 { return r.Float64() }},
	{"cancel in pairs", func(r *rand.Rand, k int, second bool) float64 {
		if second {
			return 1 - 2*float64(k%2)
		}
		return 100 + r.Float64()
	}},
	{"cancel in halves", func(r *rand.Rand, k int, second bool) float64 {
		if second {
			return 1 - 2*float64(k/64%2)
		}
		return 1 + r.Float64()
	}},
	{"wide", func(r *rand.Rand, _ int, _ bool) float64 { return r.NormFloat64() * math.Exp2(float64(r.IntN(13)-6)) }},
	{"one-hot", func(r *rand.Rand, k int, second bool) float64 {
		if second && k%5 != 0 {
			return 0
		}
		return r.NormFloat64()
	}},
}

// product is one simulated C = A*B with its inputs quantised to in.
type product struct {
	m, n, k int
	a, bt   []float32 // bt holds the columns of B one after the other
	truth   Truth
}

func newProduct(rng *rand.Rand, c inputClass, in kernels.DType, m, n, k int) product {
	p := product{m: m, n: n, k: k, a: make([]float32, m*k), bt: make([]float32, n*k)}
	a, b := make([]float64, m*k), make([]float64, k*n)
	for i := range a {
		a[i] = Round(in, c.fill(rng, i%k, false))
		p.a[i] = float32(a[i])
	}
	for i := range p.bt {
		v := Round(in, c.fill(rng, i%k, true))
		p.bt[i] = float32(v)
		b[i%k*n+i/k] = v
	}
	p.truth = GEMM64(a, b, m, n, k)
	return p
}

func (p product) run(sum func(a, b []float32) float64) []float64 {
	out := make([]float64, p.m*p.n)
	for i := range out {
		r, c := i/p.n*p.k, i%p.n*p.k
		out[i] = sum(p.a[r:r+p.k], p.bt[c:c+p.k])
	}
	return out
}
