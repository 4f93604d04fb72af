package emu

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// planted is for testdata/sanitize.sh, which shows the same bugs to compute-sanitizer on a GPU, and for counting a
// GPU's instructions of what BenchmarkGemm runs.
var planted = flag.String("planted", "", "write the planted bugs, with what is reported of them, to this folder")

var plantedOnce sync.Once

// plant writes one bug: the file that it is in, and a line of plan.tsv that says how it is launched and what we report.
// Arguments are those of testdata/launch.cpp.
func plant(t testing.TB, bug, file, source, entry string, grid, block [3]int, smem int, args, ours string) {
	t.Helper()
	if *planted == "" {
		return
	}
	plantedOnce.Do(func() {
		for name, data := range templates.Include() {
			writeFile(t, filepath.Join(*planted, "include", name), data, os.O_TRUNC)
		}
		writeFile(t, filepath.Join(*planted, "plan.tsv"), nil, os.O_TRUNC)
	})
	writeFile(t, filepath.Join(*planted, file), []byte(source), os.O_TRUNC)
	three := func(d [3]int) string { return fmt.Sprintf("%d %d %d", d[0], d[1], d[2]) }
	line := strings.Join([]string{bug, file, fmt.Sprintf("%s %s %s %d %s", entry, three(grid), three(block), smem, args),
		ours}, "\t") + "\n"
	writeFile(t, filepath.Join(*planted, "plan.tsv"), []byte(line), os.O_APPEND)
}

// plant writes a product's kernel, at the product's size.
func (p *product) plant(t testing.TB, bug, file string, job *kernels.Job, ours string) {
	t.Helper()
	call, err := job.Resolve(kernels.Dims{"m": p.m, "n": p.n, "k": p.k})
	if err != nil {
		t.Fatal(err)
	}
	l := call.Launches[0]
	plant(t, bug, file, job.Source, l.Entry, l.Grid, l.Block, l.Smem,
		fmt.Sprintf("half:%d half:%d raw:%d %d %d %d", len(p.a.bytes), len(p.b.bytes), len(p.c.bytes), p.m, p.n, p.k), ours)
}

func writeFile(t testing.TB, path string, data []byte, mode int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|mode, 0o644)
	if err == nil {
		_, err = f.Write(data)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// say is a report in a few words.
func (r report) say() string {
	return fmt.Sprintf("%s, line %d", strings.ReplaceAll(r.Kind, "_", " "), r.Line)
}
