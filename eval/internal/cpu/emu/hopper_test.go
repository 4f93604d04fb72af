package emu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"darwarp/kernels"
)

// TestHopper runs points of the family for Hopper, at sizes that are ragged in every direction, in both kinds of program: the
// results are right, and the checks find nothing.
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

// TestPlantedInHopper plants bugs in a point of the family: two blocks share tiles of B, two warpgroups multiply, and results leave as
// boxes. The first, which is none, comes out right.
func TestPlantedInHopper(t *testing.T) {
	b, f, dev := familyNamed(t, "hopper")
	g := f.Defaults()
	for name, v := range map[string]any{"block_m": 128, "block_n": 64, "consumers": 2, "cluster_m": 2, "blocks": "persistent", "epilogue": "tensor", "stages": 3} {
		g[name] = kernels.ParseValue(fmt.Sprint(v))
	}
	dev.SMs = 2 // so that a cluster has several tiles
	job, err := b.Job(f, g, dev, kernels.FP16)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new, kind string }{
		{"none", "", "", ""},
		{"the other block not told", "mbarrier_arrive_at(empty(slot), lane)", "mbarrier_arrive_at(empty(slot), here)", "race"},
		{"given back before its products are done", "wgmma_wait<1>();\n        if (k0 > 0) release(before);", "if (k0 > 0) release(before);\n        wgmma_wait<1>();", "race"},
		{"tiles not awaited", "mbarrier_wait(full(at.slot), at.phase);", "", "race"},
		{"stages not awaited", "mbarrier_wait(empty(at.slot), at.phase ^ 1);", "", "race|trap"},
		{"no wait for products", "wgmma_wait<0>();", "", "race"},
		{"no fence of results", "async_fence();\n            __syncwarp();", "__syncwarp();", "race"},
		{"results not of all lanes", "async_fence();\n            __syncwarp();", "async_fence();", "race"},
		{"boxes not awaited", "if (lane == 0) bulk_wait_read<STORE_BUFFERS - 1>();", "", "race"},
		{"ends before the other block", "cluster_arrive_only();  // until", "return;  // until", "race"},
		{"wrong swizzle", "swizzle<CHUNKS>(lane % 16, p + lane / 16)", "swizzle<CHUNKS>(lane % 16, p + lane / 16 ^ 2)", "wrong"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := strings.Replace(job.Source, c.old, c.new, 1)
			if source == job.Source && c.old != "" {
				t.Fatalf("the source has no %q", c.old)
			}
			prog, p := build(t, source, true), newProduct(300, 200, 264, kernels.FP16, rand.New(rand.NewPCG(3, 3)))
			for prog.seed = range 2 {
				r := p.run(t, prog, &job)
				if t.Logf("%s, line %d: %s", r.Kind, r.Line, r.Message); c.kind == "" || c.kind == "wrong" {
					if wrong := p.wrong(job.Acc); r.Kind != "" || (wrong != "") != (c.kind == "wrong") {
						t.Errorf("%+v %s, want %q", r, wrong, c.kind)
					}
				} else if r.Kind == "" || !strings.Contains(c.kind, r.Kind) {
					t.Errorf("%+v, want %s", r, c.kind)
				}
			}
		})
	}
}
