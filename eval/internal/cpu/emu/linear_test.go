package emu

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"darwarp/kernels"
)

// linear makes a product one with an epilogue, gelu(sum + bias) + residual.
func linear(p *product, rng *rand.Rand) *product {
	small := func(name string, count int) []float64 {
		m := newMemory(name, 2*count)
		for i := range view[uint16](m) {
			view[uint16](m)[i] = uint16(0x3c00 | rng.UintN(1<<10) | rng.UintN(2)<<15)
		}
		m.readOnly, p.more[name] = true, m
		return widenAll(m, kernels.FP16)
	}
	p.more = map[string]*memory{}
	bias, residual := small("bias", p.n), small("residual", p.m*p.n)
	for i := range p.truth {
		x, r := p.truth[i]+bias[i%p.n], residual[i]
		p.truth[i] = 0.5*x*(1+math.Erf(x/math.Sqrt2)) + r
		p.scale[i] = 1.13*(p.scale[i]+math.Abs(bias[i%p.n])) + math.Abs(r)
	}
	return p
}

// Points of the families with an epilogue. They take each of the ways that a sum has to C.
var (
	linearTile = map[string]any{"mma": "mma_sync", "block_m": 32, "block_n": 32, "block_k": 32, "warp_m": 16,
		"warp_n": 16, "loader": "cp_async", "stages": 2, "smem_layout": "xor", "math": "fast"}
	linearFew = map[string]any{"mma": "mma_sync", "block_m": 16, "warp_n": 16, "warps_k": 2}
)

// with is a point with some genes more, each name followed by its value.
func with(genes map[string]any, more ...any) map[string]any {
	out := maps.Clone(genes)
	for i := 0; i < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}

// linearJob is a point of linear_gelu, legal where no size is known.
func linearJob(t *testing.T, family string, genes map[string]any) kernels.Job {
	t.Helper()
	return jobOf(t, "linear_gelu", family, genes)
}

// jobOf is the same of another problem.
func jobOf(t *testing.T, problem, family string, genes map[string]any) kernels.Job {
	t.Helper()
	b, f, dev := familyOf(t, problem, family)
	return jobAt(t, b, f, dev, kernels.FP16, genes)
}

// TestLinear runs the points, and mistakes in them, of which each gives wrong results or is found by the checks.
func TestLinear(t *testing.T) {
	needCompiler(t)
	rng := rand.New(rand.NewPCG(3, 3))
	var products []*product
	for _, s := range [][3]int{{1, 1, 1}, {17, 23, 40}, {70, 46, 136}, {9, 72, 1032}} {
		products = append(products, linear(newProduct(s[0], s[1], s[2], kernels.FP16, rng), rng))
	}
	for _, c := range []struct {
		name, family string
		genes        map[string]any
		old, new     string // of a mistake
	}{
		{"naive", "tile", nil, "", ""},
		{"staged", "tile", with(linearTile, "epilogue", "staged"), "", ""},
		{"last block", "tile", with(linearTile, "split_k", 2, "reduce", "last_block"), "", ""},
		{"few rows", "vectors", linearFew, "", ""},
		{"shares of few rows", "vectors", with(linearFew, "split_k", 4, "reduce", "separate", "math", "fast"), "", ""},
		{"boxes", "hopper", map[string]any{"block_n": 32, "epilogue": "tensor"}, "", ""},
		{"few rows as columns", "hopper", map[string]any{"swap": true, "block_n": 16}, "", ""},
		{"rows for columns", "hopper", map[string]any{"swap": true, "block_n": 16}, "end(sums[i][j], c, r)",
			"end(sums[i][j], r, c)"},
		{"a share is finished", "tile", with(linearTile, "split_k", 2, "reduce", "last_block"),
			"float v[CHUNK];\n    load8_l2(from, v);",
			"float v[CHUNK];\n    load8_l2(from, v);\n    v[0] = end(v[0], row, col);"},
		{"the plain kernel forgets", "tile", with(linearTile, "epilogue", "staged"),
			"sum = Epilogue{bias, residual, n}(sum, row, col + x);", "{}"},
		{"the edge is read", "vectors", linearFew, "if (col + e < n) v[e] = end(", "v[e] = end("},
	} {
		t.Run(c.name, func(t *testing.T) {
			job := linearJob(t, c.family, c.genes)
			prog := buildWith(t, &job, c.old, c.new)
			found := faultIn(t, prog, &job, products, func(p *product) string { return p.wrong(job.Acc) })
			if (found != "") != (c.old != "") {
				t.Errorf("mistake %q, found %q", c.new, found)
			}
		})
	}
}

// TestLinearReference holds the problem's own reference, values and scales, against Go.
func TestLinearReference(t *testing.T) {
	b, _, _ := familyOf(t, "linear_gelu", "tile")
	needCompiler(t)
	rng := rand.New(rand.NewPCG(5, 5))
	p := linear(newProduct(70, 81, 33, kernels.FP16, rng), rng)
	c, scale := newMemory("C", 8*p.m*p.n), newMemory("C_scale", 4*p.m*p.n)
	prog := build(t, b.ReferenceSource(kernels.FP16), true)
	prog.good(t, "reference", dim{2, 2, 1}, dim{16, 16, 1}, 0, p.a, p.b, p.more["bias"], p.more["residual"], c, scale,
		p.m, p.n, p.k)
	for i, want := range p.truth {
		if got := view[float64](c)[i]; math.Abs(got-want) > 1e-12*p.scale[i] ||
			math.Abs(float64(view[float32](scale)[i])-p.scale[i]) > 1e-5*p.scale[i] {
			t.Fatalf("element %d is %g +- %g, want %g +- %g", i, got, view[float32](scale)[i], want, p.scale[i])
		}
	}
}
