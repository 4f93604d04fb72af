package compile

import (
	"bytes"
	"debug/elf"
	"maps"
	"strings"
	"testing"
)

// BenchmarkPlain compiles random points of gemm in turn as they are and without gemm_plain, the kernel of sizes that
// the others cannot take: medians of the processor time and of what the kernel takes of it. A point whose other kernels
// are not the same machine code without it fails it.
func BenchmarkPlain(b *testing.B) {
	for _, workload := range []string{"512", "2048", "8192"} {
		b.Run(workload, func(b *testing.B) {
			s := inProcess(b)
			_, run := bundles(b, "gemm", workload)
			var times [2][]float64
			var takes []float64
			b.ResetTimer()
			for _, source := range drawn(b, b.N, workload, run)[0] {
				cut, _, _ := strings.Cut(source, "// gemm_plain computes")
				var code [2]map[string][]byte
				for k, text := range []string{source, cut} {
					s.parsed(headOf(text))
					times[k] = append(times[k], spent(b, func() error {
						out, err := s.translate(text)
						code[k] = kernelsIn(b, out.Cubin)
						return err
					}))
				}
				delete(code[0], ".text.gemm_plain")
				if !maps.EqualFunc(code[0], code[1], bytes.Equal) {
					b.Errorf("other machine code without gemm_plain:\n%s", source)
				}
				takes = append(takes, times[0][len(takes)]-times[1][len(takes)])
			}
			b.ReportMetric(median(takes), "plain-cpu-ms")
			b.ReportMetric(median(times[0]), "with-cpu-ms")
			b.ReportMetric(median(times[1]), "without-cpu-ms")
		})
	}
}

// kernelsIn are the sections of machine code of a cubin.
func kernelsIn(b *testing.B, cubin []byte) map[string][]byte {
	b.Helper()
	f, err := elf.NewFile(bytes.NewReader(cubin))
	if err != nil {
		b.Fatal(err)
	}
	all := map[string][]byte{}
	for _, at := range f.Sections {
		if strings.HasPrefix(at.Name, ".text.") {
			if all[at.Name], err = at.Data(); err != nil {
				b.Fatal(err)
			}
		}
	}
	return all
}
