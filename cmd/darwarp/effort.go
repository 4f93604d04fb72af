package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/cmd/darwarp/internal/session"
	"darwarp/evolve"
)

// sayEffort tells what the search made of the machine: verdicts a second, the share of the time that
// the device worked, how many device processes it took, and this process's peak memory.
func (a *app) sayEffort(s *session.Session, sum evolve.Summary) {
	if s.Device().Kind == "replay" || sum.Elapsed <= 0 {
		return
	}
	parts := []string{fmt.Sprintf("%.1f verdicts a second", float64(sum.Evals)/sum.Elapsed.Seconds())}
	if pool, ok := s.Evaluator.(interface{ Load() (float64, int) }); ok {
		busy, workers := pool.Load()
		parts = append(parts, "device busy "+report.Percent(busy)+" of the time", report.Quantity(workers, "device process"))
	}
	parts = append(parts, report.Bytes(peakMemory())+" of memory here at most")
	a.Sayf("%s", strings.Join(parts, ", "))
}

// peakMemory is the greatest resident size of this process so far, in bytes.
func peakMemory() int {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return int(u.Maxrss) << 10 // Linux counts KiB
}

// processorTime is the processor time in seconds that this process and all that descend from it have taken,
// those that have ended and been waited for included.
func processorTime() float64 {
	type process struct {
		parent int
		ticks  float64
	}
	all := map[int]process{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		_, rest, ok := strings.Cut(string(text), ") ") // what is before may hold anything
		fields := strings.Fields(rest)
		if err != nil || !ok || len(fields) < 15 {
			continue
		}
		var p process
		p.parent, _ = strconv.Atoi(fields[1])
		for _, f := range fields[11:15] { // its own time and its children's, in user and in system mode: proc(5)
			n, _ := strconv.ParseFloat(f, 64)
			p.ticks += n
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		all[pid] = p
	}
	ticks, self := 0.0, os.Getpid()
	for pid, p := range all {
		for at := pid; at > 1; at = all[at].parent {
			if at == self {
				ticks += p.ticks
				break
			}
		}
	}
	return ticks / 100 // USER_HZ is 100 on every Linux that Go runs on
}
