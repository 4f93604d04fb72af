package emu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"darwarp/kernels"
)

// TestHopper runs points of the family for Hopper, at sizes that are ragged in every direction, in both kinds of
// program: the results are right, and the checks find nothing.
func TestHopper(t *testing.T) {
	needCompiler(t)
	b, f, dev := familyNamed(t, "hopper")
	rng := rand.New(rand.NewPCG(7, 7))
	sizes := [][3]int{{17, 24, 40}, {70, 48, 200}, {280, 264, 136}, {33, 65, 31}}
	for _, dtype := range []kernels.DType{kernels.FP16, kernels.BF16} {
		space, err := kernels.NewSpace(f, dev, dtype, nil)
		if err != nil {
			t.Fatal(err)
		}
		var products []*product
		for _, s := range sizes {
			products = append(products, newProduct(s[0], s[1], s[2], dtype, rng))
		}
		var genomes []kernels.Genome
		for range sample(t, 2) {
			genomes = append(genomes, space.Genome(space.At(space.Sample(rng))))
		}
		for _, g := range genomes {
			t.Run(string(dtype)+" "+g.Key(), func(t *testing.T) {
				job, err := b.Job(f, g, dev, dtype)
				if err != nil {
					t.Fatal(err)
				}
				for _, checked := range []bool{false, true} {
					prog := build(t, job.Source, checked)
					for i, p := range products {
						p.spoil()
						prog.seed = uint64(i)
						if r := p.run(t, prog, &job); r.Kind != "" {
							t.Fatalf("checked %v, %v: %+v", checked, sizes[i], r)
						}
						if wrong := p.wrong(job.Acc); wrong != "" {
							t.Fatalf("checked %v: %s", checked, wrong)
						}
					}
				}
			})
		}
	}
}

// hopperJob is a point of a family for Hopper, on a device of so many multiprocessors: the defaults but for some genes.
func hopperJob(t testing.TB, problem string, sms int, genes map[string]any) kernels.Job {
	t.Helper()
	b, f, dev := familyOf(t, problem, "hopper")
	dev.SMs = sms
	return jobAt(t, b, f, dev, kernels.FP16, genes)
}

// TestPlantedInHopper plants bugs in a point of the family: two blocks share tiles of B, two warpgroups multiply, and
// results leave as boxes. The first, which is none, comes out right.
func TestPlantedInHopper(t *testing.T) {
	needCompiler(t)
	job := hopperJob(t, "gemm", 2, map[string]any{"block_m": 128, "block_n": 64, "consumers": 2, "cluster_m": 2,
		"blocks": "persistent", "epilogue": "tensor", "stages": 3})
	for _, c := range []mutation{
		{"none", "", "", ""},
		{"the other block not told", "mbarrier_arrive_at(empty(slot), lane)",
			"mbarrier_arrive_at(empty(slot), here)", "race"},
		{"given back before its products are done", "wgmma_wait<1>();\n        if (k0 > begin) release(before);",
			"if (k0 > begin) release(before);\n        wgmma_wait<1>();", "race"},
		{"tiles not awaited", "mbarrier_wait(full(at.slot), at.phase);", "", "race"},
		{"stages not awaited", "mbarrier_wait(empty(at.slot), at.phase ^ 1);", "", "race|trap"},
		{"no wait for products", "wgmma_wait<0>();", "", "race"},
		{"no fence of results", "async_fence();\n            __syncwarp();", "__syncwarp();", "race"},
		{"results not of all lanes", "async_fence();\n            __syncwarp();", "async_fence();", "race"},
		{"boxes not awaited", "if (lane == 0) bulk_wait_read<STORE_BUFFERS - 1>();", "", "race"},
		{"ends before the other block", "++s, at.next()) mbarrier_wait(empty(at.slot), at.phase ^ 1);",
			"++s, at.next()) ;", "race"},
		{"wrong swizzle", "swizzle<CHUNKS>(lane % 16, p + lane / 16)",
			"swizzle<CHUNKS>(lane % 16, p + lane / 16 ^ 2)", "wrong"},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, &job, 300, 200, 264) })
	}
}

// mutation is a change of a source, and what comes of it: nothing, what the emulator reports, or a wrong output.
type mutation struct{ name, old, new, kind string }

// run makes the change and multiplies matrices of a size, in two orders of blocks.
func (c mutation) run(t *testing.T, job *kernels.Job, m, n, k int) {
	t.Helper()
	source := strings.Replace(job.Source, c.old, c.new, 1)
	if source == job.Source && c.old != "" {
		t.Fatalf("the source has no %q", c.old)
	}
	prog, p := build(t, source, true), newProduct(m, n, k, kernels.FP16, rand.New(rand.NewPCG(3, 3)))
	for prog.seed = range 2 {
		r := p.run(t, prog, job)
		if t.Logf("%s, line %d: %s", r.Kind, r.Line, r.Message); c.kind == "" || c.kind == "wrong" {
			if wrong := p.wrong(job.Acc); r.Kind != "" || (wrong != "") != (c.kind == "wrong") {
				t.Errorf("%+v %s, want %q", r, wrong, c.kind)
			}
		} else if r.Kind == "" || !strings.Contains(c.kind, r.Kind) {
			t.Errorf("%+v, want %s", r, c.kind)
		}
	}
}

// TestHopperEdges runs points of gemm on a device of few multiprocessors, where blocks have several tiles, an odd
// number, or clusters of which most lies outside C, or one step of k.
func TestHopperEdges(t *testing.T) {
	needCompiler(t)
	for _, c := range []struct {
		name  string
		sms   int
		genes map[string]any
		sizes [][3]int
	}{
		{"turns", 1, map[string]any{"consumers": 2, "schedule": "ping_pong", "blocks": "persistent", "stages": 3,
			"block_n": 32}, [][3]int{{64, 32, 64}, {130, 32, 200}, {130, 32, 8}}},
		{"halves in turn", 1, map[string]any{"block_m": 128, "consumers": 2, "schedule": "staggered", "blocks": "persistent",
			"stages": 3, "block_n": 32}, [][3]int{{64, 32, 64}, {130, 72, 200}, {260, 32, 8}}},
		{"turns of clusters", 2, map[string]any{"consumers": 2, "schedule": "ping_pong", "blocks": "persistent",
			"cluster_m": 2, "group_m": 2, "block_n": 32, "epilogue": "tensor"},
			[][3]int{{64, 32, 64}, {300, 40, 136}}},
		{"clusters beyond C", 4, map[string]any{"cluster_m": 2, "cluster_n": 2, "block_n": 80, "stages": 3, "group_m": 4},
			[][3]int{{1, 8, 8}, {200, 200, 72}}},
		{"few tiles for a grid", 4, map[string]any{"blocks": "persistent", "cluster_n": 4, "block_n": 32, "stages": 8,
			"group_m": 8}, [][3]int{{10, 16, 16}, {130, 200, 136}}},
		{"buffers go round", 3, map[string]any{"block_m": 128, "block_n": 96, "blocks": "persistent", "epilogue": "tensor",
			"store_buffers": 3}, [][3]int{{300, 104, 40}}},
		{"few rows as columns", 132, map[string]any{"swap": true, "block_m": 128, "block_n": 48, "stages": 3},
			[][3]int{{1, 8, 8}, {33, 200, 264}}},
		{"the same in clusters", 4, map[string]any{"swap": true, "block_m": 128, "consumers": 2, "block_n": 16, "stages": 3,
			"cluster_m": 2, "blocks": "persistent"}, [][3]int{{16, 600, 72}, {20, 136, 136}}},
		{"back and forth", 1, map[string]any{"blocks": "persistent", "k_order": "alternate", "stages": 3, "block_n": 32},
			[][3]int{{64, 32, 64}, {130, 72, 200}}},
		{"two products beside each other", 1, map[string]any{"block_m": 128, "block_n": 320, "consumers": 2,
			"blocks": "persistent", "l2": "keep_a"}, [][3]int{{130, 400, 72}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			job := hopperJob(t, "gemm", c.sms, c.genes)
			prog, rng := build(t, job.Source, true), rand.New(rand.NewPCG(7, 7))
			for _, s := range c.sizes {
				for prog.seed = range 4 {
					p := newProduct(s[0], s[1], s[2], kernels.FP16, rng)
					if r := p.run(t, prog, &job); r.Kind != "" {
						t.Fatalf("seed %d, %v: %+v", prog.seed, s, r)
					}
					if wrong := p.wrong(job.Acc); wrong != "" {
						t.Fatalf("seed %d: %s", prog.seed, wrong)
					}
				}
			}
		})
	}
}
