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

	"darwarp/templates"
)

// planted is for testdata/sanitize.sh, which shows the same bugs to compute-sanitizer on a GPU.
var planted = flag.String("planted", "", "write the planted bugs, with what is reported of them, to this folder")

var plantedOnce sync.Once

// plant writes one bug: the file that it is in, and a line of plan.tsv that says how it is launched and what we report.
// Arguments are those of testdata/launch.cpp.
func plant(t *testing.T, bug, file, source, entry string, grid, block [3]int, smem int, args, ours string) {
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
	line := strings.Join([]string{bug, file, fmt.Sprintf("%s %s %s %d %s", entry, three(grid), three(block), smem, args), ours}, "\t") + "\n"
	writeFile(t, filepath.Join(*planted, "plan.tsv"), []byte(line), os.O_APPEND)
}

func writeFile(t *testing.T, path string, data []byte, mode int) {
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
