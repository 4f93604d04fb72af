package importer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"darwarp/eval"
	"darwarp/eval/module"
)

var update = flag.Bool("update", false, "write the golden files: needs a Python with torch")

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "worker" {
		os.Exit(eval.WorkerMain(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// withTorch starts a reader, or skips the test.
func withTorch(t *testing.T) *module.Reader {
	t.Helper()
	r, err := module.Start(context.Background(), eval.SandboxBest, module.NoGPU)
	var missing *module.Missing
	if errors.As(err, &missing) {
		t.Skipf("SKIPPED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// modules are the names of the files in testdata with a prefix, or without any that is refused.
func modules(t *testing.T, hostile bool) (names []string) {
	t.Helper()
	all, err := filepath.Glob("testdata/*.py")
	if err != nil || len(all) == 0 {
		t.Fatal("no module in testdata", err)
	}
	for _, path := range all {
		name := strings.TrimSuffix(filepath.Base(path), ".py")
		if strings.HasPrefix(name, "hostile_") == hostile {
			names = append(names, name)
		}
	}
	return names
}

func question(t *testing.T, name string) module.Question {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".py"))
	if err != nil {
		t.Fatal(err)
	}
	return module.Question{Source: string(text), Name: name}
}

// TestGraphs: what torch exports of each module in testdata is what its golden file says, and each refusal has its
// reason.
func TestGraphs(t *testing.T) {
	r := withTorch(t)
	var refusals strings.Builder
	for _, name := range modules(t, false) {
		answer, err := r.Read(context.Background(), question(t, name))
		var refused *module.Refused
		switch {
		case errors.As(err, &refused):
			fmt.Fprintf(&refusals, "%s: %s\n", name, refused.Why)
		case err != nil:
			t.Fatal(err)
		default:
			var more strings.Builder
			for _, n := range answer.Notes {
				fmt.Fprintf(&more, "%s\n", n)
			}
			golden(t, name+".json", answer.Graph)
			golden(t, name+".notes", []byte(more.String()))
		}
	}
	golden(t, "refusals.txt", []byte(refusals.String()))
}

// version is that of torch in a graph.
var version = regexp.MustCompile(`"torch": "[^"]*"`)

// golden compares a text with a file in testdata; an empty one has no file.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		err := os.WriteFile(path, got, 0o644)
		if len(got) == 0 {
			err = os.RemoveAll(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil && len(got) > 0 {
		t.Fatal(err)
	}
	if version.ReplaceAllString(string(want), "") != version.ReplaceAllString(string(got), "") {
		t.Errorf("%s differs (-update writes it):\n%s", path, got)
	}
}
