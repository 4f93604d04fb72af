package emu

import (
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
