package emu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
)

// orders are problems of products of planes, and whether the terms of A and of B are neighbours in memory.
var orders = map[string][2]bool{"gemm_batched": {true, true}, "gemm_nn": {true, false}, "gemm_tn": {false, false},
	"gemm_tt": {false, true}}

// newPlanes are products C[b] = A[b] * B[b] of matrices that lie in a problem's order.
func newPlanes(problem string, planes, m, n, k int, dtype kernels.DType, rng *rand.Rand) *product {
	p := &product{m: m, n: n, k: k, dtype: dtype, planes: planes, a: newMemory("A", 2*planes*m*k),
		b: newMemory("B", 2*planes*n*k), c: newMemory("C", 2*planes*m*n)}
	side := func(along bool, lines int) []int {
		if along {
			return []int{planes, lines, k}
		}
		return []int{planes, k, lines}
	}
	p.shapes = map[string][]int{"A": side(orders[problem][0], m), "B": side(orders[problem][1], n), "C": {planes, m, n}}
	for plane := range planes {
		one := newProduct(m, n, k, dtype, rng)
		p.truth, p.scale = append(p.truth, one.truth...), append(p.scale, one.scale...)
		put := func(to, from *memory, along bool, lines int) {
			out := view[uint16](to)[plane*lines*k:]
			for i, v := range view[uint16](from) {
				if !along {
					i = i%k*lines + i/k
				}
				out[i] = v
			}
		}
		put(p.a, one.a, orders[problem][0], m)
		put(p.b, one.b, orders[problem][1], n)
	}
	p.a.readOnly, p.b.readOnly = true, true
	return p
}

// Points of the families of products of planes.
var (
	planesTile = map[string]any{"block_m": 64, "block_n": 32, "block_k": 32, "warp_m": 32, "warp_n": 16, "stages": 3,
		"smem_layout": "xor"}
	planesHopper = map[string]any{"block_m": 128, "block_n": 64, "consumers": 2, "cluster_m": 2, "cluster_n": 2,
		"stages": 3, "epilogue": "tensor", "block_k": 128}
	planesTurns = map[string]any{"block_n": 128, "consumers": 2, "schedule": "ping_pong", "blocks": "persistent",
		"group_m": 2}
)

// found runs a job on products of a problem's order and says what is wrong with it.
func found(t *testing.T, problem string, job *kernels.Job, source string, sizes [][4]int) (what string) {
	t.Helper()
	prog := build(t, source, true)
	for i, s := range sizes {
		p := newPlanes(problem, s[0], s[1], s[2], s[3], kernels.FP16, rand.New(rand.NewPCG(uint64(i), 4)))
		p.spoil()
		prog.seed = uint64(i)
		if r := p.run(t, prog, job); r.Kind != "" {
			what = fmt.Sprintf("%v: %+v", s, r)
		} else if wrong := p.wrong(job.Acc); wrong != "" {
			what = fmt.Sprintf("%v: %s", s, wrong)
		}
	}
	return what
}

// TestOrders runs points of the families of products of planes, in all orders of either operand, at ragged sizes.
func TestOrders(t *testing.T) {
	needCompiler(t)
	sizes := [][4]int{{3, 40, 24, 72}, {2, 136, 72, 328}, {2, 9, 17, 31}, {2, 3, 5, 1}}
	padded := with(planesTile, "smem_layout", "padded", "epilogue", "staged")
	for problem, points := range map[string][]map[string]any{"gemm_batched": {planesHopper},
		"gemm_nn": {padded, planesTurns}, "gemm_tn": {planesHopper}, "gemm_tt": {planesTile}} {
		for _, genes := range points {
			job := planesJob(t, problem, genes)
			t.Run(problem+" "+job.Variant.Family, func(t *testing.T) {
				if what := found(t, problem, &job, job.Source, sizes); what != "" {
					t.Error(what)
				}
			})
		}
	}
}

func planesJob(t *testing.T, problem string, genes map[string]any) kernels.Job {
	t.Helper()
	family := "tile"
	if genes["warp_m"] == nil {
		family = "hopper"
	}
	b, f, dev := familyOf(t, problem, family)
	dev.SMs = 4 // several tiles a block
	return jobAt(t, b, f, dev, kernels.FP16, genes)
}

// TestPlantedInOrders plants mistakes in kernels of all orders, of which each gives wrong results.
func TestPlantedInOrders(t *testing.T) {
	needCompiler(t)
	sizes := [][4]int{{3, 72, 136, 72}}
	for _, c := range []struct {
		problem  string
		genes    map[string]any
		old, new string
	}{
		{"gemm_tn", planesHopper, "step * (16 * 8)", "step * (8 * 8)"},
		{"gemm_tt", planesTile, "lane / 8 % 2));", "0));"},
	} {
		t.Run(c.problem+" "+c.new, func(t *testing.T) {
			job := planesJob(t, c.problem, c.genes)
			if !slices.Contains([]int{1, 2}, strings.Count(job.Source, c.old)) {
				t.Fatalf("the source has no %q", c.old)
			}
			if found(t, c.problem, &job, strings.ReplaceAll(job.Source, c.old, c.new), sizes) == "" {
				t.Error("not found")
			}
		})
	}
}
