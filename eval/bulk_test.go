package eval

import (
	"testing"

	"darwarp/kernels"
)

// TestBulkPoints: of each family that has them, a point that uses bulk copies is right, with every access watched.
func TestBulkPoints(t *testing.T) {
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
			b := builtin(t, c.problem)
			cfg := small(t, b, c.dtype, c.size)
			cfg.Races = true
			gateAttempts(t, cfg, b, []attempt{{name: "bulk", genes: c.genes}})
		})
	}
}
