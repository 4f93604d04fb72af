// Package cpu is the device worker of the cpu device: it runs shared objects that the machine's C++
// compiler made of .cu sources against the emulation headers in emu, between the same guards and on
// the same inputs as a GPU's worker, and speaks the same protocol (package device). Its times are CPU
// times. Kernels run in one process with the worker: one that crashes takes it down.
package cpu

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"darwarp/kernels"
)

// Describe is this machine's processor as a device: the limits of sm_90a, which is what kernels are
// written for, with the features that the emulation has.
func Describe() kernels.Device {
	d, err := kernels.ArchDevice("sm_90a")
	if err != nil { // it is in the table
		panic(err)
	}
	d.Kind, d.Arch, d.CC, d.Name = "cpu", "cpu", emulatedCC, model()
	d.SMs, d.L2Bytes = runtime.NumCPU(), lastCache()
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err == nil {
		d.MemoryBytes = int(info.Totalram) * int(info.Unit)
	}
	return d
}

// emulatedCC is the compute capability whose functions the emulation has.
const emulatedCC = 90

// model is the processor's name, as the kernel tells it.
func model() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		key, value, _ := strings.Cut(lines.Text(), ":")
		if key = strings.TrimSpace(key); key == "model name" || key == "Model" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// usualCache is taken where the size of the last-level cache is not told.
const usualCache = 32 << 20

// lastCache is the size of the last-level cache in bytes.
func lastCache() int {
	files, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*/size")
	largest := 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		var n int
		var unit string
		if _, scan := fmt.Sscanf(string(text), "%d%s", &n, &unit); err != nil || scan != nil {
			continue
		}
		switch unit {
		case "K":
			n <<= 10
		case "M":
			n <<= 20
		}
		largest = max(largest, n)
	}
	if largest == 0 {
		return usualCache
	}
	return largest
}

// ceilings are the rates of copying in memory and in cache. A processor's arithmetic bounds no
// emulated kernel, so that ceiling stays unknown.
func ceilings(d kernels.Device) *kernels.Ceilings {
	return &kernels.Ceilings{Bandwidth: copyRate(64<<20, 4), L2: max(copyRate(128<<10, 2000), copyRate(64<<20, 1))}
}

// copyRate is the rate of copying n bytes again and again, in bytes read and written per second: the
// best of three.
func copyRate(n, times int) float64 {
	src, dst := make([]byte, n), make([]byte, n)
	fill(src, 1)
	best := 0.0
	for range 3 {
		start := time.Now()
		for range times {
			copy(dst, src)
		}
		best = max(best, 2*float64(n)*float64(times)/time.Since(start).Seconds())
	}
	return best
}
