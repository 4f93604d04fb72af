package eval

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"darwarp/kernels"
)

func TestZZ(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("ZZN"))
	for _, spec := range strings.Fields(os.Getenv("ZZ")) { // problem:dtype:size
		f := strings.SplitN(spec, ":", 3)
		start := time.Now()
		pool, b := builtinPool(t, f[0], kernels.DType(f[1]), f[2], false)
		t.Logf("%s: open %.1fs, %d cases, %d gated, %d trial", spec, time.Since(start).Seconds(), len(pool.cases.cases), len(pool.cases.gated()), len(pool.cases.cases)-len(pool.cases.gated()))
		rng := rand.New(rand.NewPCG(7, uint64(time.Now().UnixNano())))
		for _, fam := range b.Families {
			if !fam.Runs(pool.device) {
				continue
			}
			space, err := kernels.NewSpace(fam, pool.device, kernels.DType(f[1]), nil)
			if err != nil {
				t.Log(err)
				continue
			}
			start = time.Now()
			var gate float64
			for i := range n {
				g := fam.Defaults()
				if i > 0 {
					g = space.Genome(space.At(space.Sample(rng)))
				}
				job, err := b.Job(fam, g, pool.device, kernels.DType(f[1]))
				if err != nil {
					t.Fatal(err)
				}
				r, err := pool.Evaluate(context.Background(), &job)
				gate += r.Cost.Gate
				if err != nil || r.Outcome != kernels.OK && r.Outcome != kernels.Duplicate {
					t.Errorf("%s %s: %v (%s), %v", fam.Name, g.Key(), r.Outcome, r.Detail, err)
				} else if i < 2 {
					t.Logf("%s ok worst %.2f at %s", fam.Name, r.Gate.Worst, r.Gate.Where)
				}
			}
			t.Logf("%s: %d points in %.1fs, gate %.2f each", fam.Name, n, time.Since(start).Seconds(), gate/float64(n))
		}
	}
}
