package search

import (
	"fmt"
	"strings"
	"syscall"

	"darwarp/cmd/darwarp/internal/report"
	"darwarp/evolve"
)

// sayEffort tells what the search made of the machine: verdicts per second, the share of the time that
// the device worked, how many device workers it took, and this process's peak memory.
func (s *Search) sayEffort(sum evolve.Summary) {
	if s.Session.Device().Kind == "replay" || sum.Elapsed <= 0 {
		return
	}
	parts := []string{fmt.Sprintf("%.1f verdicts per second", float64(sum.Evals)/sum.Elapsed.Seconds())}
	if load := s.Session.Capabilities().Load; load != nil {
		busy, workers := load()
		parts = append(parts, "device busy "+report.Percent(busy)+" of the time", report.Quantity(workers, "device worker"))
	}
	parts = append(parts, report.Bytes(peakMemory())+" of memory in this process at most")
	s.say("%s", strings.Join(parts, ", "))
}

// peakMemory is the greatest resident size of this process so far, in bytes.
func peakMemory() int {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return int(u.Maxrss) << 10 // Linux counts KiB
}
