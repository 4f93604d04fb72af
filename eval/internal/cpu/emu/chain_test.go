package emu

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"darwarp/kernels"
)

// productReference is the truth that an import makes of a @ b in fp32.
func productReference(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../../templates/graph/testdata/matmul.json")
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
