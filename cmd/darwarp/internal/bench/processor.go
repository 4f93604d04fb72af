package bench

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

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
