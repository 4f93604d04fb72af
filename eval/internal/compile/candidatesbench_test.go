package compile

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"darwarp/eval/internal/nvrtc"
)

// BenchmarkCandidates compiles random points in turn as once, rendered for all sizes and with the common headers alone
// kept parsed, and as now, for the run's workload: medians of the processor time and of a point's ratio, and means of
// NVRTC's phases, milliseconds by the clock. docs/results/compile.md has its figures.
func BenchmarkCandidates(b *testing.B) {
	for _, x := range scored {
		b.Run(x.problem+"_"+x.workload, func(b *testing.B) {
			s := inProcess(b)
			s.parsed(head{hopper: true, lean: true})
			s.parsed(head{})
			headers := []map[head]bool{{{}: true, {hopper: true}: false, {lean: true}: false, {true, true}: false}, s.pch}
			whole, run := bundles(b, x.problem, x.workload)
			sources := drawn(b, b.N, x.workload, whole, run)
			var times [2][]float64
			files := []string{filepath.Join(b.TempDir(), "before"), filepath.Join(b.TempDir(), "after")}
			b.ResetTimer()
			for i := range b.N {
				for k := range sources {
					s.pch = headers[k]
					times[k] = append(times[k], spent(b, func() error {
						_, err := s.translate(sources[k][i], "--time="+files[k])
						return err
					}))
				}
			}
			ratios := make([]float64, b.N)
			for i := range ratios {
				ratios[i] = times[1][i] / times[0][i]
			}
			b.ReportMetric(median(ratios), "after/before")
			for k, name := range []string{"before", "after"} {
				b.ReportMetric(median(times[k]), name+"-cpu-ms")
				reportPhases(b, name, files[k])
			}
		})
	}
}

// BenchmarkOfast compiles random points of each family in full and with --Ofast-compile=mid, and reports for both the
// median of the processor time, and means of the largest kernel's registers and of the bytes that a thread has in
// memory because they are not in registers.
func BenchmarkOfast(b *testing.B) {
	s := inProcess(b)
	for _, x := range scored {
		_, run := bundles(b, x.problem, x.workload)
		byKind := map[string][]string{}
		for _, source := range drawn(b, 24, x.workload, run)[0] {
			kind := "others"
			if strings.HasPrefix(source, hopperHead) {
				kind = "hopper"
			}
			if Assembler(source) == "" { // which --Ofast-compile does not go with
				byKind[kind] = append(byKind[kind], source)
			}
		}
		for _, kind := range slices.Sorted(maps.Keys(byKind)) {
			b.Run(x.problem+"_"+x.workload+"/"+kind, func(b *testing.B) {
				for name, more := range map[string][]string{"full": nil, "mid": {"--Ofast-compile=mid"}} {
					var times []float64
					registers, memory := 0, 0
					for i := range b.N {
						times = append(times, spent(b, func() error {
							out, err := s.translate(byKind[kind][i%len(byKind[kind])], more...)
							most := slices.MaxFunc(nvrtc.ParsePtxas(out.Log), func(a, b nvrtc.KernelResources) int {
								return cmp.Compare(a.Registers+a.StackBytes, b.Registers+b.StackBytes)
							})
							registers, memory = registers+most.Registers, memory+most.StackBytes
							return err
						}))
					}
					b.ReportMetric(median(times), name+"-cpu-ms")
					b.ReportMetric(float64(registers)/float64(b.N), name+"-registers")
					b.ReportMetric(float64(memory)/float64(b.N), name+"-bytes")
				}
			})
		}
	}
}

// BenchmarkOptions compiles random points with options of the compiler and of the assembler in turn, and reports the
// processor time of each and how many points have the same machine code as without.
func BenchmarkOptions(b *testing.B) {
	options := []string{"none", "-Ofc=mid", "-Ofc=min", "--allow-expensive-optimizations=false",
		"--disable-optimizer-constants", "none again"}
	s := inProcess(b)
	for _, x := range scored {
		b.Run(x.problem+"_"+x.workload, func(b *testing.B) {
			_, run := bundles(b, x.problem, x.workload)
			times, same := map[string][]float64{}, map[string]float64{}
			for _, source := range drawn(b, b.N, x.workload, run)[0] {
				code := map[string]string{}
				for _, o := range options {
					var more []string
					if !strings.HasPrefix(o, "none") {
						more = []string{"--ptxas-options=" + o}
					}
					times[o] = append(times[o], spent(b, func() error {
						out, err := s.translate(source, more...)
						if err == nil {
							code[o], _, _, err = inspect(out.Cubin)
						}
						return err
					}))
					if code[o] == code["none"] {
						same[o]++
					}
				}
			}
			for _, o := range options {
				b.ReportMetric(median(times[o]), strings.ReplaceAll(o, " ", "-")+"-cpu-ms")
				b.ReportMetric(same[o], strings.ReplaceAll(o, " ", "-")+"-same")
			}
		})
	}
}

// BenchmarkHeaders compiles a small kernel with what sources include: the processor time that does not depend on them.
func BenchmarkHeaders(b *testing.B) {
	s := inProcess(b)
	for _, lean := range []bool{false, true} {
		for _, h := range []head{{false, lean}, {true, lean}} {
			s.parsed(h)
			for _, parsed := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/parsed=%v", h.file(), parsed), func(b *testing.B) {
					s.PCH = parsed
					defer func() { s.PCH = true }()
					reportSpent(b, func() (err error) {
						if parsed {
							_, err = s.headed(h.ready(), h, nil)
						} else {
							_, err = s.compiler.Compile(h.ready(), sourceName, s.options(h))
						}
						return err
					})
				})
			}
		}
	}
	b.Run("none", func(b *testing.B) {
		reportSpent(b, func() error {
			_, err := s.compiler.Compile(readyKernel, sourceName, s.options(head{}))
			return err
		})
	})
}

// BenchmarkLean compiles random points in turn with all headers and with what they need: medians of the processor time
// and of a point's ratio. A point whose machine code is another one with fewer headers fails it.
func BenchmarkLean(b *testing.B) {
	for _, x := range scored {
		b.Run(x.problem+"_"+x.workload, func(b *testing.B) {
			s := inProcess(b)
			_, run := bundles(b, x.problem, x.workload)
			var times [2][]float64
			var ratios []float64
			sources := drawn(b, b.N, x.workload, run)[0]
			b.ResetTimer()
			for _, source := range sources {
				full := headOf(source)
				full.lean = false
				s.parsed(full)
				s.parsed(headOf(source))
				var code [2]string
				for k, h := range []head{full, headOf(source)} {
					times[k] = append(times[k], spent(b, func() error {
						out, err := s.headed(source, h, nil)
						if err == nil {
							code[k], _, _, err = inspect(out.Cubin)
						}
						return err
					}))
				}
				if code[0] != code[1] {
					b.Errorf("other machine code with fewer headers:\n%s", source)
				}
				ratios = append(ratios, times[1][len(ratios)]/times[0][len(ratios)])
			}
			b.ReportMetric(median(ratios), "lean/full")
			b.ReportMetric(median(times[0]), "full-cpu-ms")
			b.ReportMetric(median(times[1]), "lean-cpu-ms")
		})
	}
}

// reportSpent reports the median of the processor time of something that is done b.N times.
func reportSpent(b *testing.B, f func() error) {
	b.Helper()
	var times []float64
	for range b.N {
		times = append(times, spent(b, f))
	}
	b.ReportMetric(median(times), "cpu-ms")
}

// spent is the processor time of this process meanwhile, in milliseconds.
func spent(b *testing.B, f func() error) float64 {
	b.Helper()
	used := func() float64 {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return float64(u.Utime.Sec+u.Stime.Sec)*1e3 + float64(u.Utime.Usec+u.Stime.Usec)/1e3
	}
	start := used()
	if err := f(); err != nil {
		b.Error(err)
	}
	return used() - start
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// reportPhases reports the mean of what NVRTC wrote of its phases: file, phase, milliseconds, unit.
func reportPhases(b *testing.B, which, file string) {
	b.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	lines, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		b.Fatal(err)
	}
	phases := map[string]float64{}
	for _, l := range lines {
		if ms, err := strconv.ParseFloat(strings.TrimSpace(l[2]), 64); err == nil {
			phases[strings.ReplaceAll(strings.TrimSpace(l[1]), " ", "-")] += ms
		}
	}
	for phase, ms := range phases {
		b.ReportMetric(ms/float64(b.N), which+"-"+phase+"-ms")
	}
}
