package soak

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// process is a worker of ours.
type process struct {
	pid  int
	kind string // what follows "worker" in its command line: gpu, cpu, compile, check
	rss  int    // bytes in memory
}

// workers lists the children of this process that are its workers.
func workers() []process {
	self := strconv.Itoa(os.Getpid())
	var found []process
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		_, rest, ok := strings.Cut(string(stat), ") ") // what is before may hold anything
		if fields := strings.Fields(rest); err != nil || !ok || len(fields) < 22 || fields[1] != self {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		args := bytes.Split(line, []byte{0})
		at := len(args) - 2
		for at >= 0 && string(args[at]) != "worker" { // a fence names what it becomes behind its own name
			at--
		}
		if at < 0 {
			continue
		}
		p := process{kind: string(args[at+1]), rss: resident(dir)}
		p.pid, _ = strconv.Atoi(filepath.Base(dir))
		found = append(found, p)
	}
	return found
}

// resident is a process's memory in bytes, from statm (proc(5)).
func resident(dir string) int {
	text, _ := os.ReadFile(filepath.Join(dir, "statm"))
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.Atoi(fields[1])
	return pages * os.Getpagesize()
}

// Strike kills a worker, drawn by kind first so that the one that drives the device is not lost among the compilers;
// one in twenty is stopped instead, which only its deadline finds out. It says what it did to which kind.
func Strike(rng *rand.Rand) string {
	byKind := map[string][]process{}
	var kinds []string
	for _, p := range workers() {
		if byKind[p.kind] == nil {
			kinds = append(kinds, p.kind)
		}
		byKind[p.kind] = append(byKind[p.kind], p)
	}
	if len(kinds) == 0 {
		return ""
	}
	slices.Sort(kinds)
	of := byKind[kinds[rng.IntN(len(kinds))]]
	p := of[rng.IntN(len(of))]
	signal, what := syscall.SIGKILL, "killed "
	if rng.IntN(20) == 0 {
		signal, what = syscall.SIGSTOP, "stopped "
	}
	if syscall.Kill(p.pid, signal) != nil { // gone by itself
		return ""
	}
	return what + p.kind
}
