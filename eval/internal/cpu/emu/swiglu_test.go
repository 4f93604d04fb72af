package emu

import (
	"math"
	"math/rand/v2"
	"testing"

	"darwarp/kernels"
)

// newGated is a gated product, silu(A * G^T) * (A * U^T), with G above U in B.
func newGated(m, n, k int, dtype kernels.DType, rng *rand.Rand) *product {
	p := newProduct(m, 2*n, k, dtype, rng)
	truth, scale := p.truth, p.scale
	p.n, p.c, p.truth, p.scale = n, newMemory("C", 2*m*n), make([]float64, m*n), make([]float64, m*n)
	for i := range p.truth {
		at := i/n*2*n + i%n
		gate, up := truth[at], truth[at+n]
		silu := gate / (1 + math.Exp(-gate))
		p.truth[i], p.scale[i] = silu*up, 1.1*scale[at]*math.Abs(up)+math.Abs(silu)*scale[at+n]
	}
	return p
}

// gatedTile and gatedHopper are points of swiglu's families.
var (
	gatedTile = map[string]any{"mma": "mma_sync", "block_m": 32, "block_n": 64, "block_k": 32, "warp_m": 16,
		"warp_n": 32, "loader": "cp_async", "stages": 2, "smem_layout": "xor"}
	gatedHopper = map[string]any{"block_m": 128, "block_n": 96, "consumers": 2, "cluster_m": 2, "stages": 3,
		"epilogue": "tensor", "math": "fast"}
	gatedFew = map[string]any{"mma": "mma_sync", "block_m": 16, "warp_n": 16, "warps_k": 2}
)

// TestGated runs points of swiglu, and mistakes, of which each gives wrong results or is found by
// the checks.
func TestGated(t *testing.T) {
	needCompiler(t)
	rng := rand.New(rand.NewPCG(2, 9))
	var products []*product
	for _, s := range [][3]int{{1, 1, 1}, {17, 40, 72}, {70, 104, 136}, {9, 64, 1032}} {
		products = append(products, newGated(s[0], s[1], s[2], kernels.FP16, rng))
	}
	for _, c := range []struct {
		name, family string
		genes        map[string]any
		old, new     string // of a mistake
	}{
		{"staged", "tile", with(gatedTile, "epilogue", "staged"), "", ""},
		{"last block", "tile", with(gatedTile, "split_k", 2, "reduce", "last_block"), "", ""},
		{"shares of few rows", "vectors", with(gatedFew, "split_k", 4, "mma", "fma", "block_m", 4), "", ""},
		{"boxes", "hopper", gatedHopper, "", ""},
		{"the same weights twice", "hopper", gatedHopper, "tiles, i * n + row + part", "tiles, row + part"},
		{"the plain kernel forgets", "tile", nil, "(sums[0], sums[1], row, col + x)", "(sums[0], sums[0], row, col + x)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, f, dev := familyOf(t, "swiglu", c.family)
			job := jobAt(t, b, f, dev, kernels.FP16, c.genes)
			prog := buildWith(t, &job, c.old, c.new)
			found := faultIn(t, prog, &job, products, func(p *product) string { return p.wrong(job.Acc) })
			if (found != "") != (c.old != "") {
				t.Errorf("mistake %q, found %q", c.new, found)
			}
		})
	}
}

// TestGatedReference holds the problem's reference, values and scales, against Go.
func TestGatedReference(t *testing.T) {
	b, _, _ := familyOf(t, "swiglu", "tile")
	needCompiler(t)
	p := newGated(70, 41, 33, kernels.BF16, rand.New(rand.NewPCG(5, 5)))
	c, scale := newMemory("C", 8*p.m*p.n), newMemory("C_scale", 4*p.m*p.n)
	prog := build(t, b.ReferenceSource(kernels.BF16), true)
	prog.good(t, "reference", dim{2, 2, 1}, dim{16, 16, 1}, 0, p.a, p.b, c, scale, p.m, p.n, p.k)
	for i, want := range p.truth {
		if got := view[float64](c)[i]; math.Abs(got-want) > 1e-12*p.scale[i] ||
			math.Abs(float64(view[float32](scale)[i])-p.scale[i]) > 1e-5*p.scale[i] {
			t.Fatalf("element %d is %g +- %g, want %g +- %g", i, got, view[float32](scale)[i], want, p.scale[i])
		}
	}
}
