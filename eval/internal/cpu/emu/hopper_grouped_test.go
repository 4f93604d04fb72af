package emu

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"darwarp/kernels"
)

// groupedSizes are groups' rows, n and k: groups without rows, of all rows, of one more than a tile, more groups than a
// warp has lanes, one step of k, and a size for the plain kernel.
var groupedSizes = []struct {
	rows []int
	n, k int
}{
	{[]int{0, 70, 0, 0, 129, 1, 16}, 136, 144},
	{append(make([]int, 33), 65, 0, 17), 200, 64},
	{[]int{5, 0, 40}, 33, 31},
	{[]int{200, 64, 128, 257}, 152, 64},
}

// smallWords are -2, -1, 0, 1 and 2 in bf16.
var smallWords = []uint16{0xc000, 0xbf80, 0, 0x3f80, 0x4000}

// fillSmall writes small whole numbers, which it returns, or as many powers of two.
func fillSmall(m *memory, b kernels.Buffer, rng *rand.Rand) (numbers []int) {
	for i := range b.Elems() {
		v := rng.IntN(5)
		switch numbers = append(numbers, v-2); b.DType {
		case kernels.E4M3:
			m.bytes[i] = smallCodes[v]
		case kernels.FP32:
			view[float32](m)[i] = float32(math.Ldexp(1, v-2))
		case kernels.BF16:
			view[uint16](m)[i] = smallWords[v]
		}
	}
	return numbers
}

// newGrouped is a grouped product of small whole numbers: sums are exact. It is run as one of fp8 is.
func newGrouped(t *testing.T, p *kernels.Problem, rows []int, n, k int, rng *rand.Rand) *fp8Product {
	t.Helper()
	offsets := []int32{0}
	for _, r := range rows {
		offsets = append(offsets, offsets[len(offsets)-1]+int32(r))
	}
	dims := kernels.Dims{"groups": len(rows), "tokens": int(offsets[len(rows)]), "n": n, "k": k, "least": 0}
	out := &fp8Product{dims, kernels.BF16, map[string]*memory{}, map[string][]int{}, nil}
	buffers, err := p.Buffers(dims, kernels.BF16)
	if err != nil {
		t.Fatal(err)
	}
	numbers, scales := map[string][]int{}, map[string][]float32{"A_scale": nil, "B_scale": nil}
	for _, b := range buffers {
		m := newMemory(b.Name, b.Elems()*b.DType.Size())
		out.buffers[b.Name], out.shapes[b.Name], m.readOnly = m, b.Shape, !b.Out
		if numbers[b.Name] = fillSmall(m, b, rng); b.DType == kernels.FP32 {
			scales[b.Name] = view[float32](m)
		}
	}
	copy(view[int32](out.buffers["offsets"]), offsets)
	for group, r := range rows {
		for row := range r {
			for col := range n {
				sum, a, b := 0, numbers["A"][(int(offsets[group])+row)*k:], numbers["B"][(group*n+col)*k:]
				for i := range k {
					sum += a[i] * b[i]
				}
				want := float64(sum)
				if a := scales["A_scale"]; a != nil {
					want *= float64(a[int(offsets[group])+row] * scales["B_scale"][group*n+col])
				}
				out.want = append(out.want, want)
			}
		}
	}
	return out
}

// TestHopperGrouped runs points of the families for Hopper, chosen and drawn, on a device of few multiprocessors, with
// every access watched, and one of the other family of codes.
func TestHopperGrouped(t *testing.T) {
	needCompiler(t)
	clusters := []any{"block_m", 128, "block_n", 96, "consumers", 2, "cluster_m", 2, "cluster_n", 2, "blocks",
		"persistent", "output", "staged", "group_m", 4, "order", "mixed"}
	turns := []any{"swap", true, "block_n", 16, "consumers", 2, "schedule", "ping_pong", "cluster_m", 2, "blocks",
		"persistent", "stages", 3, "order", "mixed"}
	drawn := []any{"block_m", 128, "block_n", 96, "consumers", 2, "blocks", "queue", "stages", 3, "order", "mixed",
		"group_m", 2}
	drawnColumns := []any{"swap", true, "block_m", 128, "block_n", 32, "consumers", 2, "blocks", "queue"}
	pairs := []any{"block_m", 64, "block_n", 64, "blocks", "pairs", "cluster_m", 2, "stages", 3, "order", "mixed",
		"group_m", 2}
	pairsInOrder := []any{"block_m", 128, "block_n", 80, "consumers", 2, "blocks", "pairs", "cluster_m", 2, "output",
		"staged"}
	promoted := []any{"block_m", 128, "block_n", 80, "consumers", 2, "blocks", "persistent", "sum_sets", 2, "output",
		"staged"}
	pairsOfCodes := []any{"block_m", 128, "block_n", 96, "consumers", 2, "blocks", "pairs", "cluster_m", 2, "order",
		"mixed"}
	twoByTwo := []any{"block_m", 128, "block_n", 64, "promote", 256, "consumers", 2, "blocks", "queue", "stages", 3}
	for _, c := range []struct {
		problem, family string
		points          [][]any
		drawn           int
	}{
		{"gemm_grouped", "hopper", [][]any{clusters, turns, drawn, drawnColumns, pairs, pairsInOrder}, sample(t, 1)},
		{"gemm_grouped_fp8", "hopper", [][]any{promoted, pairsOfCodes, twoByTwo}, sample(t, 1)},
		{"gemm_grouped_fp8", "tile", [][]any{{"warps_m", 2, "stages", 3, "loader", "cp_async"}}, 0},
	} {
		t.Run(c.problem+" "+c.family, func(t *testing.T) { runGrouped(t, c.problem, c.family, c.points, c.drawn) })
	}
}

func runGrouped(t *testing.T, problem, family string, points [][]any, drawn int) {
	b, f, dev := familyOf(t, problem, family)
	dev.SMs = 4
	rng := rand.New(rand.NewPCG(8, 10))
	var products []*fp8Product
	for _, s := range groupedSizes {
		products = append(products, newGrouped(t, b.Problem, s.rows, s.n, s.k, rng))
	}
	var genomes []kernels.Genome
	for _, p := range points {
		genomes = append(genomes, chosen(f, p...))
	}
	if drawn > 0 {
		few := kernels.Pins{"consumers": {kernels.Int(2)}, "stages": {kernels.Int(2), kernels.Int(4)},
			"group_m": {kernels.Int(2)}}
		space, err := kernels.NewSpace(f, dev, kernels.BF16, few)
		if err != nil {
			t.Fatal(err)
		}
		for range drawn {
			genomes = append(genomes, space.Genome(space.At(space.Sample(rng))))
		}
	}
	for _, g := range genomes {
		t.Run(g.Key(), func(t *testing.T) {
			job, err := b.Job(f, g, dev, kernels.BF16)
			if err = errors.Join(err, f.Check(g, dev, kernels.BF16)); err != nil {
				t.Fatal(err)
			}
			prog := build(t, job.Source, true)
			for i, p := range products {
				prog.seed = uint64(i)
				if r, wrong := p.run(t, prog, &job); r.Kind != "" || wrong != "" {
					t.Fatalf("%v: %+v %s", p.dims, r, wrong)
				}
			}
		})
	}
}
