package emu

import (
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"darwarp/kernels"
)

// vectors are points of the family for few rows that differ in all that its parts choose between.
var vectors = []map[string]any{
	{"row_lanes": 32, "warp_n": 4, "warps_n": 2, "warps_k": 2, "chunks": 2, "stages": 3, "block_m": 4,
		"cache": "streaming", "split_k": 4, "reduce": "last_block"},
	{"mma": "mma_sync", "block_m": 24, "warp_n": 16, "warps_n": 2, "warps_k": 4, "chunks": 2, "loader": "cp_async",
		"stages": 3, "split_k": 64, "reduce": "separate"},
	{"mma": "mma_sync", "block_m": 64, "warp_n": 32, "stages": 2, "cache": "no_allocate", "split_k": 2,
		"reduce": "last_block", "warps_k": 2},
}

// vectorsJob is a point of the family: the defaults but for some genes. It must be legal where no size is known.
func vectorsJob(t testing.TB, genes map[string]any, dtype kernels.DType) kernels.Job {
	t.Helper()
	b, f, dev := familyNamed(t, "vectors")
	return jobAt(t, b, f, dev, dtype, genes)
}

// Sizes that are ragged in every direction, more rows than a block takes, shares of k without a term, and long sums.
func vectorProducts(dtype kernels.DType, rng *rand.Rand) (all []*product) {
	for _, s := range [][3]int{{1, 1, 1}, {1, 40, 264}, {3, 23, 40}, {17, 45, 1032}, {70, 72, 136}, {8, 9, 16392}} {
		all = append(all, newProduct(s[0], s[1], s[2], dtype, rng))
	}
	return all
}

// TestVectors runs the points, and a sample of the space where one is asked for: the results are right, and the checks
// find nothing. Without checks a program takes another way through barriers, so one of them runs so, too.
func TestVectors(t *testing.T) {
	needCompiler(t)
	b, f, dev := familyNamed(t, "vectors")
	rng := rand.New(rand.NewPCG(7, 7))
	for i, dtype := range []kernels.DType{kernels.FP16, kernels.BF16} {
		products := vectorProducts(dtype, rng)
		var jobs []kernels.Job
		for j, genes := range vectors {
			if j%2 == i {
				jobs = append(jobs, vectorsJob(t, genes, dtype))
			}
		}
		for range sample(t, 2) - 2 { // CI asks for 2 of each family
			space, err := kernels.NewSpace(f, dev, dtype, nil)
			if err != nil {
				t.Fatal(err)
			}
			job, err := b.Job(f, space.Genome(space.At(space.Sample(rng))), dev, dtype)
			if err != nil {
				t.Fatal(err)
			}
			jobs = append(jobs, job)
		}
		for _, job := range jobs {
			t.Run(string(dtype)+" "+job.Variant.Genes.Key(), func(t *testing.T) {
				for _, checked := range []bool{true, false} {
					if !checked && job.ID != jobs[0].ID {
						continue
					}
					prog := build(t, job.Source, checked)
					for k, p := range products {
						p.spoil()
						prog.seed = uint64(k)
						if r := p.run(t, prog, &job); r.Kind != "" {
							t.Fatalf("checked %v, %d x %d x %d: %+v", checked, p.m, p.n, p.k, r)
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

// TestPlantedInVectors plants mistakes in points of the family. Each gives wrong results at some size, or is found by
// the checks.
func TestPlantedInVectors(t *testing.T) {
	needCompiler(t)
	products := vectorProducts(kernels.FP16, rand.New(rand.NewPCG(9, 9)))
	for _, c := range []struct {
		name     string
		point    int
		old, new string
	}{
		{"the last share is left out", 0, "i < SPLIT_K / ADDERS; ++i) {", "i < SPLIT_K / ADDERS; ++i) {\n            " +
			"if (int(threadIdx.x % ADDERS) == SPLIT_K - 1) continue;"},
		{"the last warp's plane is left out", 1, "w < WARPS_K; ++w", "w < WARPS_K - 1; ++w"},
		{"chunks beyond k are read", 2, "step < steps && chunk(step, c) < in.pitch", "step < steps"},
		{"rows of B beyond the edge are read", 2, "i * B_STEP, in.n - 1)) * in.pitch",
			"i * B_STEP, in.n + 7)) * in.pitch"},
		{"nobody waits for the other warps", 2, "PLANE_ROW);\n    __syncthreads();", "PLANE_ROW);"},
		{"the sums overwrite the rings", 1, "cp_async_wait<0>();\n    __syncthreads();", ""},
		{"the newest copy is not waited for", 1, "cp_async_wait<STAGES - 2>();", "cp_async_wait<STAGES - 1>();"},
		{"any block adds the shares", 2, "== SPLIT_K - 1;", ">= 0;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			genes := maps.Clone(vectors[c.point])
			job := vectorsJob(t, genes, kernels.FP16)
			if strings.Count(job.Source, c.old) != 1 {
				t.Fatalf("%q is %d times in the source", c.old, strings.Count(job.Source, c.old))
			}
			prog := build(t, strings.Replace(job.Source, c.old, c.new, 1), true)
			for k, p := range products {
				p.spoil()
				prog.seed = uint64(k)
				if r := p.run(t, prog, &job); r.Kind != "" || p.wrong(job.Acc) != "" {
					return
				}
			}
			t.Error("nobody noticed")
		})
	}
}
