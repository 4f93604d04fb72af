package compile

import (
	"bytes"
	"maps"
	"testing"

	"darwarp/kernels"
)

// TestScoredKernels: the kernel that a workload's rows go to is the same machine code whether those of other rows are
// there to be fast, or only to be right.
func TestScoredKernels(t *testing.T) {
	s := inProcess(t)
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	kept := kernels.Genome{"keep": kernels.String("registers"), "vector": kernels.Int(8), "exp": kernels.String("exp2")}
	for _, tt := range []struct {
		problem, workload, entry string
		genes                    kernels.Genome
	}{
		{"softmax", "16384x8192", "softmax_exact", kernels.Genome{"threads_per_row": kernels.Int(1024)}},
		{"softmax", "16384x8192", "softmax", kernels.Genome{"items": kernels.Int(2), "threads_per_row": kernels.Int(256)}},
		{"rmsnorm", "16384x8192", "rmsnorm_exact", kernels.Genome{"threads_per_row": kernels.Int(1024)}},
		{"layernorm", "512x50257", "layernorm_plain", kernels.Genome{"threads_per_row": kernels.Int(1024)}},
	} {
		whole, run := bundles(t, tt.problem, tt.workload)
		f := whole.Families[0]
		g := f.Defaults()
		maps.Copy(g, kept)
		maps.Copy(g, tt.genes)
		if tt.problem != "softmax" {
			delete(g, "exp")
		}
		a := section(t, s, rendered(t, whole, f.Name, g, dev), ".text."+tt.entry)
		b := section(t, s, rendered(t, run, f.Name, g, dev), ".text."+tt.entry)
		if len(a) == 0 || !bytes.Equal(a, b) {
			t.Errorf("%d bytes of %s, and %d in a run of %s", len(a), tt.entry, len(b), tt.workload)
		}
	}
}

// BenchmarkScored compiles random points in turn with all kernels made to be fast, and with those of the run's workload
// alone: medians of the processor time and of a point's ratio.
func BenchmarkScored(b *testing.B) {
	const workload = "16384x8192"
	for _, problem := range []string{"softmax", "layernorm", "rmsnorm"} {
		b.Run(problem, func(b *testing.B) {
			s := inProcess(b)
			whole, run := bundles(b, problem, workload)
			var times [2][]float64
			var ratios []float64
			sources := drawn(b, b.N, workload, whole, run)
			b.ResetTimer()
			for i := range b.N {
				for k := range sources {
					times[k] = append(times[k], spent(b, func() error {
						_, err := s.translate(sources[k][i])
						return err
					}))
				}
				ratios = append(ratios, times[1][i]/times[0][i])
			}
			b.ReportMetric(median(ratios), "run/all")
			b.ReportMetric(median(times[0]), "all-cpu-ms")
			b.ReportMetric(median(times[1]), "run-cpu-ms")
		})
	}
}
