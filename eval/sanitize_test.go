package eval

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"darwarp/eval/internal/tools"
	"darwarp/kernels"
)

// fakeSanitizer is a compute-sanitizer in PATH: a script that has the tool in $tool and the report's file in $out.
func fakeSanitizer(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	body := "#!/bin/sh\nwhile [ \"$1\" != --log-file ]; do [ \"$1\" = --tool ] && tool=$2; shift; done\nout=$2\n" +
		script + "\n"
	if err := os.WriteFile(filepath.Join(dir, "compute-sanitizer"), []byte(body), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// TestSanitize: a pool runs compute-sanitizer where it is installed, and says where it is not.
func TestSanitize(t *testing.T) {
	pool := fakePool(t)
	job := fakeJob(t, pool, "good")
	t.Run("installed", func(t *testing.T) {
		fakeSanitizer(t, "printf '========= ERROR SUMMARY: 0 errors\\n========= RACECHECK SUMMARY: 0 hazards\\n' >$out")
		got, why, err := pool.Sanitize(context.Background(), job)
		if err != nil || why != "" || !kernels.AllClean(got) {
			t.Errorf("%+v, %q, %v", got, why, err)
		}
	})
	t.Run("not installed", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		t.Setenv("CUDA_HOME", t.TempDir())
		if got, why, err := pool.Sanitize(context.Background(), job); tools.Find("compute-sanitizer") == "" &&
			(got != nil || !strings.Contains(why, "not found") || err != nil) {
			t.Errorf("%+v, %q, %v", got, why, err)
		}
	})
}
