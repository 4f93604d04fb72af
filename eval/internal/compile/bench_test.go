package compile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"darwarp/templates"
)

func BenchmarkCompile(b *testing.B) {
	for _, slots := range []int{1, 2} {
		for _, without := range []string{"pch", "kept", ""} {
			b.Run(fmt.Sprintf("workers=%d/without=%s", slots, without), func(b *testing.B) {
				cfg := config(b)
				cfg.Slots, cfg.without = slots, without
				p := open(b, cfg)
				warm(b, p, slots)
				before := busy(p)
				b.ResetTimer()
				compileN(b, p, slots, b.N)
				// more informative than time if other programs run
				b.ReportMetric(float64(busy(p)-before)*10/float64(b.N), "cpu-ms/compile")
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "compiles/s")
			})
		}
	}
}

// BenchmarkKept compiles random points in turn by two compilers, of which one gives all memory back after each, and
// reports the processor time and the page faults of both.
func BenchmarkKept(b *testing.B) {
	for _, x := range scored {
		b.Run(x.problem+"_"+x.workload, func(b *testing.B) {
			_, run := bundles(b, x.problem, x.workload)
			sources := drawn(b, b.N, x.workload, run)[0]
			var pools []*Pool
			for _, without := range []string{"kept", ""} {
				cfg := config(b)
				cfg.Slots, cfg.Arch, cfg.Headers, cfg.without = 1, "sm_90a", templates.Include(), without
				pools = append(pools, open(b, cfg))
				compileOne(b, pools[len(pools)-1], hopperHead+readyKernel)
			}
			var ticks, faults [2]int
			b.ResetTimer()
			for _, source := range sources {
				for k, p := range pools {
					pid := workersOf(p)[0]
					t, f := cpuTicks(pid), minorFaults(pid)
					if out := compileOne(b, p, source); out.Failure != "" {
						b.Error(out.Failure)
					}
					ticks[k], faults[k] = ticks[k]+cpuTicks(pid)-t, faults[k]+minorFaults(pid)-f
				}
			}
			for k, name := range []string{"given-back", "kept"} {
				b.ReportMetric(float64(ticks[k])*10/float64(b.N), name+"-cpu-ms")
				b.ReportMetric(float64(faults[k])/float64(b.N), name+"-faults")
			}
		})
	}
}

// BenchmarkFirst is the time by the clock until each of two compilers has compiled its first candidate, which are woken
// before that, or not.
func BenchmarkFirst(b *testing.B) {
	for _, woken := range []bool{false, true} {
		b.Run(fmt.Sprintf("woken=%v", woken), func(b *testing.B) {
			_, run := bundles(b, "gemm", "2048")
			sources := drawn(b, 4, "2048", run)[0]
			for range b.N {
				b.StopTimer()
				cfg := config(b)
				cfg.Slots, cfg.Arch, cfg.Headers = 2, "sm_90a", templates.Include()
				p := open(b, cfg)
				if woken {
					p.Wake(true)
					for time.Sleep(time.Second); p.Busy() > 0; {
						time.Sleep(time.Millisecond)
					}
				}
				b.StartTimer()
				var wg sync.WaitGroup
				for _, s := range sources[:2] {
					wg.Go(func() {
						if out := compileOne(b, p, s); out.Failure != "" {
							b.Error(out.Failure)
						}
					})
				}
				wg.Wait()
			}
		})
	}
}

// busy is the processor time that the pool's workers have used, in hundredths of a second.
func busy(p *Pool) (ticks int) {
	for _, pid := range workersOf(p) {
		ticks += cpuTicks(pid)
	}
	return ticks
}

// warm makes every slot start its worker.
func warm(b *testing.B, p *Pool, slots int) { compileN(b, p, 4*slots, 8*slots) }

func compileN(b *testing.B, p *Pool, at, n int) {
	var wg sync.WaitGroup
	for g := range at {
		wg.Go(func() {
			for i := g; i < n; i += at {
				if out, err := p.Compile(b.Context(), good()); err != nil || out.Failure != "" {
					b.Errorf("%v %s", err, out.Failure)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkCompileCached(b *testing.B) {
	cfg := config(b)
	cfg.CacheDir = b.TempDir()
	p := open(b, cfg)
	source := good()
	compileOne(b, p, source)
	b.ResetTimer()
	for range b.N {
		if out := compileOne(b, p, source); !out.Cached {
			b.Fatal("not cached")
		}
	}
}

// workersOf finds the processes whose command line names the pool's folder.
func workersOf(p *Pool) (pids []int) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		var pid int
		text, err := os.ReadFile(path)
		if _, scanErr := fmt.Sscanf(path, "/proc/%d/", &pid); err == nil && scanErr == nil &&
			bytes.Contains(text, []byte(p.home.path)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// cpuTicks is the time a process has used, in hundredths of a second.
func cpuTicks(pid int) int { return statOf(pid, 11) + statOf(pid, 12) }

// minorFaults is how many pages a process was given without reading them from a disk.
func minorFaults(pid int) int { return statOf(pid, 7) }

// statOf is a number of /proc/PID/stat, counted from behind the name (proc_pid_stat(5): field 3 is 0), or 0.
func statOf(pid, field int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, ok := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	if err != nil || !ok || field >= len(fields) {
		return 0
	}
	n, err := strconv.Atoi(fields[field])
	if err != nil {
		return 0
	}
	return n
}
