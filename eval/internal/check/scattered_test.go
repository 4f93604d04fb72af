package check

import (
	"math"
	"math/rand/v2"
	"testing"

	"darwarp/kernels"
)

// productsNormed is a product of m x k by n x k whose rows are normalised. in is what the kernel takes of a factor, and
// add how it adds. The scale is what a reference tells: all terms of each sum, over what the row is divided by.
func productsNormed(
	a, b []float64, k int, in func(float64) float64, add func(sum, term float64) float64,
) (y []float64, t Truth) {
	m, n := len(a)/k, len(b)/k
	p, size := make([]float64, n), make([]float64, n)
	for r := range m {
		for c := range n {
			p[c], size[c] = 0, 0
			for i := range k {
				u, v := in(a[r*k+i]), in(b[c*k+i])
				p[c], size[c] = add(p[c], u*v), size[c]+math.Abs(u*v)
			}
		}
		mean, spread := 0.0, 0.0
		for c := range n {
			mean += p[c] / float64(n)
		}
		for c := range n {
			spread += (p[c] - mean) * (p[c] - mean) / float64(n)
		}
		for c := range n {
			v := (p[c] - mean) / math.Sqrt(spread)
			y = append(y, v)
			t.Value = append(t.Value, v)
			t.Scale = append(t.Scale, float32(2*size[c]/math.Sqrt(spread)))
		}
	}
	return y, t
}

// TestScattered: a norm of products in fp32 was right with factors in tf32 as soon as sums were long, since its errors
// were taken for one of a whole row, of all terms. Where factors are normal they are not, and a right chain passes.
func TestScattered(t *testing.T) {
	const m, n, k = 16, 16, 4096
	rng := rand.New(rand.NewPCG(3, 4))
	draw := func(size int) []float64 {
		out := make([]float64, size)
		for i := range out {
			out[i] = Round(kernels.FP32, rng.NormFloat64())
		}
		return out
	}
	a, b := draw(m*k), draw(n*k)
	exact := func(v float64) float64 { return v }
	tf32 := func(v float64) float64 { return round(v, 10, -126, math.MaxFloat32) }
	plus := func(sum, term float64) float64 { return sum + term }
	chain := func(sum, term float64) float64 { return Round(kernels.FP32, sum+term) }
	_, truth := productsNormed(a, b, k, exact, plus)
	model := Model{K: k + 9, Coherent: true}
	judge := func(in func(float64) float64, add func(sum, term float64) float64, scattered bool) Report {
		out, _ := productsNormed(a, b, k, in, add)
		model.Scattered = scattered
		return Judge(Encode(kernels.FP32, out), kernels.FP32, truth, model)
	}
	if r := judge(exact, chain, true); !r.Pass() {
		t.Errorf("one chain: %s", r.Explain("y", []int{m, n}))
	}
	if judge(tf32, plus, true).Pass() {
		t.Error("nobody sees factors in tf32")
	}
	if !judge(tf32, plus, false).Pass() {
		t.Error("factors in tf32 are seen without it: what is it for?")
	}
}

// TestScatteredIsOfNormal: where terms cancel far below a random walk of them nothing scatters, as with rows of equal
// numbers.
func TestScatteredIsOfNormal(t *testing.T) {
	m := Model{K: 4096, Coherent: true}
	s := m
	s.Scattered = true
	for _, scale := range []float64{1, 64, 255} { // in sizes of the whole: a random walk is 64
		plain, _ := m.ceiling(kernels.FP32, 1<<20, 1, scale)
		if scattered, _ := s.ceiling(kernels.FP32, 1<<20, 1, scale); scattered > 2320*0x1p-24 || scattered > plain {
			t.Errorf("scale %g: a ceiling of %g, and %g without", scale, scattered, plain)
		}
	}
	plain, _ := m.ceiling(kernels.FP32, 1<<20, 1, 300)
	if scattered, _ := s.ceiling(kernels.FP32, 1<<20, 1, 300); scattered != plain {
		t.Errorf("a ceiling of %g where sums cancel, and %g without", scattered, plain)
	}
}
