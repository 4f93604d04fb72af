package emu

import (
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
	{[]int{0, 70, 0, 0, 129, 1, 16}, 136, 136},
	{append(make([]int, 33), 65, 0, 17), 200, 64},
	{[]int{0, 0, 50}, 72, 64},
	{[]int{5, 0, 40}, 33, 31},
}

// smallWords are -2, -1, 0, 1 and 2 in bf16.
var smallWords = []uint16{0xc000, 0xbf80, 0, 0x3f80, 0x4000}

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
	numbers := map[string][]int{}
	for _, b := range buffers {
		m := newMemory(b.Name, b.Elems()*b.DType.Size())
		out.buffers[b.Name], out.shapes[b.Name], m.readOnly = m, b.Shape, !b.Out
		if b.Out || b.DType == kernels.I32 {
			continue
		}
		for i := range b.Elems() {
			v := rng.IntN(5)
			numbers[b.Name], view[uint16](m)[i] = append(numbers[b.Name], v-2), smallWords[v]
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
				out.want = append(out.want, float64(sum))
			}
		}
	}
	return out
}

// TestHopperGrouped runs points of gemm_grouped's family for Hopper, chosen and drawn, on a device of few
// multiprocessors, with every access watched; the last without, too.
func TestHopperGrouped(t *testing.T) {
	needCompiler(t)
	b, f, dev := familyOf(t, "gemm_grouped", "hopper")
	dev.SMs = 4
	rng := rand.New(rand.NewPCG(8, 10))
	few := kernels.Pins{"block_k": {kernels.Int(64)}, "stages": {kernels.Int(2), kernels.Int(4)}, "group_m": {kernels.Int(2)}}
	space, err := kernels.NewSpace(f, dev, kernels.BF16, few)
	if err != nil {
		t.Fatal(err)
	}
	var products []*fp8Product
	for _, s := range groupedSizes {
		products = append(products, newGrouped(t, b.Problem, s.rows, s.n, s.k, rng))
	}
	genomes := []kernels.Genome{
		chosen(f, "block_m", 128, "block_n", 96, "consumers", 2, "cluster_m", 2, "cluster_n", 2, "blocks", "persistent", "output",
			"staged", "group_m", 4),
		chosen(f, "block_n", 80, "consumers", 2, "schedule", "ping_pong", "blocks", "persistent", "stages", 3, "output",
			"staged"),
		chosen(f, "swap", true, "block_m", 128, "block_n", 16, "consumers", 2, "cluster_m", 2, "blocks", "persistent",
			"stages", 3),
	}
	for range sample(t, 1) {
		genomes = append(genomes, space.Genome(space.At(space.Sample(rng))))
	}
	for i, g := range genomes {
		modes := []bool{true}
		if i == len(genomes)-1 {
			modes = append(modes, false)
		}
		t.Run(g.Key(), func(t *testing.T) {
			if err := f.Check(g, dev, kernels.BF16); err != nil {
				t.Fatal(err)
			}
			job, err := b.Job(f, g, dev, kernels.BF16)
			if err != nil {
				t.Fatal(err)
			}
			for _, checked := range modes {
				prog := build(t, job.Source, checked)
				for i, p := range products {
					prog.seed = uint64(i)
					if r, wrong := p.run(t, prog, &job); r.Kind != "" || wrong != "" {
						t.Fatalf("checked %v, %v: %+v %s", checked, p.dims, r, wrong)
					}
				}
			}
		})
	}
}
