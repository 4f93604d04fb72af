package emu

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/kernels"
)

// productReference is the truth that an import makes of a @ b in fp32.
func productReference(t *testing.T) string { return importedReference(t, "matmul") }

// importedReference is the truth that an import makes of a graph in fp32.
func importedReference(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../../../templates/graph/testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return bundleOf(t, text).ReferenceSource(kernels.FP32)
}

// TestScaleOfEqualTerms: equal products after a large one are all rounded to the same side, and an imported product's
// scale is as much larger as a thread errs that adds them one after the other, also with zeros between them. That of
// drawn products is not larger.
func TestScaleOfEqualTerms(t *testing.T) {
	needCompiler(t)
	const m, k, n = 2, 8192, 3
	a, b := newMemory("a", 4*m*k), newMemory("b", 4*k*n)
	out, scale := newMemory("out", 8*m*n), newMemory("scale", 4*m*n)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range k {
		view[float32](a)[i], view[float32](a)[k+i] = 0.9, rng.Float32()
		view[float32](b)[i*n], view[float32](b)[i*n+1], view[float32](b)[i*n+2] = 1, rng.Float32(), float32(1-i%2)
	}
	view[float32](a)[0] = 131072
	p := build(t, productReference(t), false)
	if r := p.launch(t, "reference", x(1), x(256), 0, a, b, out, scale, m, k, n); r.Kind != "" {
		t.Fatalf("%s: %s", r.Kind, r.Message)
	}
	const u, chain = 0x1p-24, 2048 // what the error model allows of drawn terms, in u of the scale
	for row := range m {
		for col := range n {
			var sum float32
			var size float64
			for i := range k {
				term := float64(view[float32](a)[row*k+i]) * float64(view[float32](b)[i*n+col])
				sum, size = float32(float64(sum)+term), size+math.Abs(term)
			}
			at := row*n + col
			off, told := math.Abs(float64(sum)-view[float64](out)[at]), float64(view[float32](scale)[at])
			equal := row == 0 && col != 1
			if off > chain*u*told || equal != (off > chain*u*size) || equal != (told > 1.01*size) || told > 4.01*size {
				t.Errorf("[%d,%d] is off by %g u of %g, and its scale is %g", row, col, off/u/size, size, told)
			}
		}
	}
}

// TestScaleOfNearlyEqual: numbers that are nearly 0 have nearly equal distances from a mean. fp32 makes these equal, so
// that all sums of their squares are rounded to the same side. A thread that has such a row to itself is within the
// tolerance. That of drawn numbers is for threads that share the row.
func TestScaleOfNearlyEqual(t *testing.T) {
	needCompiler(t)
	const rows, terms, k = 4, 4096, 4096/32 + 8
	in, weight, bias := newMemory("in", 4*rows*terms), newMemory("weight", 4*terms), newMemory("bias", 4*terms)
	out, scale := newMemory("out", 8*rows*terms), newMemory("scale", 4*rows*terms)
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range rows * terms {
		view[float32](in)[i] = float32(math.Ldexp(rng.NormFloat64(), -40))
		if i%64 == 0 || i < terms { // needles among dust, and a row of drawn numbers
			view[float32](in)[i] = float32(rng.NormFloat64())
		}
		view[float32](weight)[i%terms] = 1
	}
	p := build(t, importedReference(t, "layernorm"), false)
	ran := p.launch(t, "reference", x(rows), x(256), 0, in, weight, bias, out, scale, rows, terms, 1)
	if ran.Kind != "" {
		t.Fatalf("%s: %s", ran.Kind, ran.Message)
	}
	got := make([]float64, 0, rows*terms)
	for row := range rows {
		got = append(got, chainNorm(view[float32](in)[row*terms:(row+1)*terms])...)
	}
	truth := check.Truth{Value: view[float64](out), Scale: view[float32](scale)}
	r := check.Judge(check.Encode(kernels.FP32, got), kernels.FP32, truth, check.Model{K: k, Coherent: true})
	if !r.Pass() {
		t.Error(r.Explain("out", []int{rows, terms}))
	}
	if drawn := float64(slices.Max(view[float32](scale)[:terms])); drawn > 16 {
		t.Errorf("the scales of drawn numbers go to %g", drawn)
	}
}

// chainNorm is a layer norm by one thread, which adds up numbers one after the other.
func chainNorm(x []float32) (out []float64) {
	var sum, squares float32
	for _, v := range x {
		sum += v
	}
	mean := sum / float32(len(x))
	for _, v := range x {
		squares += (v - mean) * (v - mean)
	}
	root := float32(1 / math.Sqrt(float64(squares/float32(len(x))+1e-5)))
	for _, v := range x {
		out = append(out, float64((v-mean)*root))
	}
	return out
}
