package eval

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// TestBulkPoints: of each family that has them, a point that uses bulk copies is right, with every access watched.
func TestBulkPoints(t *testing.T) {
	sometimes(t)
	for _, c := range []struct {
		problem, size string
		dtype         kernels.DType
		genes         string
	}{
		{"rmsnorm", "rows=11,cols=520", kernels.FP16,
			"vector=8 threads_per_row=64 items=1 keep=registers loader=bulk schedule=persistent stages=2 store=bulk " +
				"weights=shared held=floats"},
		{"layernorm", "rows=7,cols=1032", kernels.BF16,
			"vector=8 threads_per_row=128 cluster=2 items=1 keep=shared loader=bulk schedule=persistent stages=3 " +
				"store=bulk_streaming weights=registers moments=merged"},
		{"reduction", "rows=3,cols=5000", kernels.FP32,
			"threads=64 vector=4 items=2 loader=bulk stages=3 split=spread blocks_per_sm=1 combine=last_block"},
	} {
		t.Run(c.problem, func(t *testing.T) {
			pool, b := builtinPool(t, c.problem, c.dtype, c.size, true)
			f := b.Families[0]
			job := jobOf(t, b, f, c.genes, pool.Device(), c.dtype)
			if r, err := pool.Evaluate(context.Background(), &job); err != nil || r.Outcome != kernels.OK {
				t.Errorf("%s: %v (%s), %v", c.genes, r.Outcome, r.Detail, err)
			}
		})
	}
}

// jobOf is the default of a family with some genes set, as in "vector=8 keep=shared".
func jobOf(t *testing.T, b *templates.Bundle, f *kernels.Family, genes string, dev kernels.Device,
	d kernels.DType) kernels.Job {
	t.Helper()
	g := f.Defaults()
	for _, field := range strings.Fields(genes) {
		name, text, _ := strings.Cut(field, "=")
		if n, err := strconv.Atoi(text); err == nil {
			g[name] = kernels.Int(n)
		} else {
			g[name] = kernels.String(text)
		}
	}
	if err := f.Check(g, dev, d); err != nil {
		t.Fatalf("%s: %v", genes, err)
	}
	job, err := b.Job(f, g, dev, d)
	if err != nil {
		t.Fatal(err)
	}
	return job
}
