package emu

import (
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/kernels"
)

// quantised makes a product one whose outputs are rounded to e4m3, so large that some saturate.
func quantised(p *product) *product {
	scale := newMemory("scale", 4)
	scale.readOnly, p.more = true, map[string]*memory{"scale": scale}
	factor := 150 / math.Sqrt(float64(p.k))
	view[float32](scale)[0] = float32(factor)
	for i := range p.truth {
		p.truth[i], p.scale[i] = float64(float32(factor))*p.truth[i], float64(float32(factor))*p.scale[i]
	}
	p.c = newMemory("C", p.m*p.n)
	return p
}

// wrongBytes is what the gate says of the outputs, or "".
func (p *product) wrongBytes() string {
	truth := check.Truth{Value: p.truth, Scale: make([]float32, len(p.truth))}
	for i, s := range p.scale {
		truth.Scale[i] = float32(s)
	}
	r := check.Judge(p.c.bytes, kernels.E4M3, truth, check.Model{K: p.k, Acc: kernels.FP32})
	if r.Pass() {
		return ""
	}
	return r.Explain("C", []int{p.m, p.n})
}

// TestQuantised runs points of gemm's families with outputs of e4m3, and mistakes in them, of which each gives wrong
// results.
func TestQuantised(t *testing.T) {
	needCompiler(t)
	rng := rand.New(rand.NewPCG(4, 3))
	var products []*product
	for _, s := range [][3]int{{1, 1, 1}, {17, 23, 40}, {70, 46, 136}, {33, 64, 64}, {9, 72, 1032}} {
		products = append(products, quantised(newProduct(s[0], s[1], s[2], kernels.FP16, rng)))
	}
	tile := maps.Clone(linearTile)
	delete(tile, "math")
	for _, c := range []struct {
		name, family string
		genes        map[string]any
		old, new     string // of a mistake
	}{
		{"naive", "tile", nil, "", ""},
		{"pairs", "tile", tile, "", ""},
		{"last block", "tile", with(tile, "split_k", 2, "reduce", "last_block"), "", ""},
		{"few rows", "vectors", linearFew, "", ""},
		{"shares of few rows", "vectors", with(linearFew, "split_k", 4, "reduce", "separate"), "", ""},
		{"boxes", "hopper", map[string]any{"block_n": 32}, "", ""},
		{"few rows as columns", "hopper", map[string]any{"swap": true, "block_n": 16}, "", ""},
		{"the scale forgotten", "tile", tile, "return scale * sum;", "return sum;"},
		{"the scale squared", "tile", tile, "return scale * sum;", "return scale * scale * sum;"},
		{"by way of bf16", "tile", tile, "return scale * sum;",
			"return X(to_float(from_float<__nv_bfloat16>(scale * sum)));"},
		{"a row's tail is not stored", "tile", tile, "col + 8 * j, end);", "col + 8 * j, end - 2);"},
	} {
		t.Run(c.name, func(t *testing.T) {
			job := jobOf(t, "gemm_quantised", c.family, c.genes)
			prog := buildWith(t, &job, c.old, c.new)
			found := faultIn(t, prog, &job, products, (*product).wrongBytes)
			if (found != "") != (c.old != "") {
				t.Errorf("mistake %q, found %q", c.new, found)
			}
		})
	}
}
