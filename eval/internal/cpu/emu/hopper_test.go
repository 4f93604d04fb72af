package emu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"darwarp/kernels"
)

// TestHopper runs points of the family for Hopper, at sizes that are ragged in every direction, in both kinds of program: the
// results are right, and the checks find nothing.
func TestHopper(t *testing.T) {
	needCompiler(t)
	b, f, dev := familyNamed(t, "hopper")
	rng := rand.New(rand.NewPCG(7, 7))
	sizes := [][3]int{{17, 24, 40}, {70, 48, 72}, {300, 264, 136}, {200, 520, 200}, {129, 65, 31}}
	for _, dtype := range []kernels.DType{kernels.FP16, kernels.BF16} {
		space, err := kernels.NewSpace(f, dev, dtype, nil)
		if err != nil {
			t.Fatal(err)
		}
		genomes := []kernels.Genome{f.Defaults()}
		for range sample(t, 3) {
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
					for i, s := range sizes {
						p := newProduct(s[0], s[1], s[2], dtype, rng)
						prog.seed = uint64(i)
						if r := p.run(t, prog, &job); r.Kind != "" {
							t.Fatalf("checked %v, %v: %+v", checked, s, r)
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
	g := f.Defaults()
	for name, v := range genes {
		g[name] = kernels.ParseValue(fmt.Sprint(v))
	}
	if err := f.Check(g, dev, kernels.FP16); err != nil {
		t.Fatal(err)
	}
	job, err := b.Job(f, g, dev, kernels.FP16)
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// TestHopperEdges runs points of gemm on a device of few multiprocessors, where blocks have several tiles, an odd number, or
// clusters of which most lies outside C, or one step of k.
func TestHopperEdges(t *testing.T) {
	needCompiler(t)
	for _, c := range []struct {
		name  string
		sms   int
		genes map[string]any
		sizes [][3]int
	}{
		{"turns", 1, map[string]any{"consumers": 2, "schedule": "ping_pong", "blocks": "persistent", "stages": 3, "block_n": 32}, [][3]int{{64, 32, 64}, {130, 32, 200}, {130, 32, 8}}},
		{"turns of clusters", 2, map[string]any{"consumers": 2, "schedule": "ping_pong", "blocks": "persistent", "cluster_m": 2, "group_m": 2, "block_n": 32, "epilogue": "tensor"},
			[][3]int{{64, 32, 64}, {300, 40, 136}}},
		{"clusters beyond C", 4, map[string]any{"cluster_m": 2, "cluster_n": 2, "block_n": 80, "stages": 3, "group_m": 4}, [][3]int{{1, 8, 8}, {200, 200, 72}}},
		{"few tiles for a grid", 4, map[string]any{"blocks": "persistent", "cluster_n": 4, "block_n": 32, "stages": 8, "group_m": 8}, [][3]int{{10, 16, 16}, {130, 200, 136}}},
		{"buffers go round", 3, map[string]any{"block_m": 128, "block_n": 96, "blocks": "persistent", "epilogue": "tensor", "store_buffers": 3}, [][3]int{{300, 104, 40}}},
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
