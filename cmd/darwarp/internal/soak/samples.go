package soak

import (
	"math"
	"os"
	"runtime"
	"slices"
	"time"
)

// Sample is what a search took at one moment.
type Sample struct {
	At         time.Duration `json:"at"` // ns since the start
	Evals      int           `json:"evals"`
	RSS        int           `json:"rss"`         // bytes, of this process
	WorkerRSS  int           `json:"worker_rss"`  // bytes, of all workers
	Workers    int           `json:"workers"`     // processes
	FDs        int           `json:"fds"`         // open files of this process
	Goroutines int           `json:"goroutines"`  //
	GPUMemory  int64         `json:"gpu_memory"`  // bytes, of all processes; 0 unknown
	StoreBytes int64         `json:"store_bytes"` //
}

// Take looks at this process, its workers and the run's file.
func Take(at time.Duration, evals int, gpuMemory int64, store string) Sample {
	s := Sample{At: at, Evals: evals, RSS: resident("/proc/self"), Goroutines: runtime.NumGoroutine(),
		GPUMemory: gpuMemory}
	for _, p := range workers() {
		s.Workers++
		s.WorkerRSS += p.rss
	}
	if fds, err := os.ReadDir("/proc/self/fd"); err == nil {
		s.FDs = len(fds)
	}
	if info, err := os.Stat(store); err == nil {
		s.StoreBytes = info.Size()
	}
	return s
}

// Trend compares the second quarter of a soak with its last; the first is left to warming up.
type Trend struct {
	Name  string  `json:"name"`
	Early float64 `json:"early"` // median of the second quarter; of GPU memory what nine of ten samples do not pass
	Late  float64 `json:"late"`  // the same of the last quarter
	Limit float64 `json:"limit"` // what Late may reach; 0: not judged
	Bad   bool    `json:"bad"`
}

// Trends are those of the samples. Each may grow a little: verdicts are remembered by their machine code, and what is
// in flight differs from moment to moment.
func Trends(samples []Sample) []Trend {
	const mib = 1 << 20
	quarter := len(samples) / 4
	if quarter < 2 {
		return nil
	}
	early, late := samples[quarter:2*quarter], samples[len(samples)-quarter:]
	evals := samples[len(samples)-1].Evals - samples[quarter].Evals
	var out []Trend
	judge := func(name string, share, factor, room float64, of func(Sample) float64) {
		t := Trend{Name: name, Early: quantile(early, share, of), Late: quantile(late, share, of)}
		t.Limit = t.Early*factor + room
		t.Bad = t.Late > t.Limit
		out = append(out, t)
	}
	// 4 KiB an evaluation is what the index of a run and the memory of its machine code may take.
	judge("supervisor memory", 0.5, 1.1, 16*mib+4096*float64(max(0, evals)), func(s Sample) float64 {
		return float64(s.RSS)
	})
	judge("worker memory", 0.5, 1.25, 256*mib, func(s Sample) float64 { return float64(s.WorkerRSS) })
	judge("workers", 0.5, 1, 4, func(s Sample) float64 { return float64(s.Workers) })
	judge("open files", 0.5, 1, 24, func(s Sample) float64 { return float64(s.FDs) })
	judge("goroutines", 0.5, 1, 24, func(s Sample) float64 { return float64(s.Goroutines) })
	if samples[len(samples)-1].GPUMemory > 0 {
		// A device worker that was killed takes its context with it: there are samples without one, with one, and with one
		// that ends while the next begins. How many of each there are is chance, and so is one context more.
		judge("GPU memory", 0.9, 1.05, 768*mib, func(s Sample) float64 { return float64(s.GPUMemory) })
	}
	return out
}

// slice is how many samples make one slice of a rate. An endless loop holds the device for seconds, so that
// neighbouring samples are alike, and verdicts do not come one by one as chance would have them.
const slice = 3

// Rates are the verdicts per second in the second quarter and in the last, and by how much two such figures differ by
// chance: two standard errors of the difference, from how much the slices of each quarter differ (batch means: Conway,
// 1963).
func Rates(samples []Sample) (early, late, chance float64) {
	quarter := len(samples) / 4
	if quarter < 2 {
		return 0, 0, 0
	}
	early, a := rate(samples[quarter : 2*quarter+1])
	late, b := rate(samples[len(samples)-quarter-1:])
	return early, late, 2 * math.Sqrt(a+b)
}

// rate is the verdicts per second, and the square of its standard error.
func rate(samples []Sample) (mean, square float64) {
	between := func(a, b Sample) float64 { return float64(b.Evals-a.Evals) / (b.At - a.At).Seconds() }
	mean = between(samples[0], samples[len(samples)-1])
	n := 0.0
	for ; len(samples) > slice; samples = samples[slice:] {
		d := between(samples[0], samples[slice]) - mean
		n, square = n+1, square+d*d
	}
	if n < 2 {
		return mean, mean * mean // nothing can be said
	}
	return mean, square / (n - 1) / n
}

// quantile is what the share of the samples does not pass.
func quantile(samples []Sample, share float64, of func(Sample) float64) float64 {
	var values []float64
	for _, s := range samples {
		values = append(values, of(s))
	}
	slices.Sort(values)
	return values[int(share*float64(len(values)))]
}
