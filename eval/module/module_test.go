package module

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"darwarp/eval"
	"darwarp/eval/internal/sandbox"
	"darwarp/eval/internal/torch"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "worker" {
		os.Exit(eval.WorkerMain(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// start starts a reader, or skips the test where there is no torch.
func start(t *testing.T) *Reader {
	t.Helper()
	r, err := Start(context.Background(), sandbox.Best, NoGPU)
	var missing *Missing
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
		if _, err := os.Stat(r.own); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the folder of the process is left: %v", err)
		}
	})
	return r
}

func ask(t *testing.T, name, project string) Question {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".py"))
	if err != nil {
		t.Fatal(err)
	}
	return Question{Source: strings.ReplaceAll(string(text), "PROJECT", project), Name: name}
}

// TestWrittenOut holds what operators are written out as against torch's own.
func TestWrittenOut(t *testing.T) {
	python, err := torch.Python()
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	cmd := exec.Command(python, "-B", "testdata/moved.py", "python")
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "No module named 'torch'") {
		t.Skip("SKIPPED: no torch")
	}
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestHostile: whatever a file does, the error is one clean line, and nothing of this machine was touched.
func TestHostile(t *testing.T) {
	project := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(project, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, want string }{
		{"loop", "it does not end"},
		{"loop_in_forward", "it does not end"},
		{"exits", "its process ended"},
		{"raises_exit", "SystemExit"},
		{"crashes", "its process ended"},
		{"recurses", "RecursionError"},
		{"garbage", "its process ended"},
		{"giant_frame", "its process ended"},
		{"prints", "RuntimeError: ?[2J"},
		{"memory", "MemoryError"},
		{"disk", "File too large"},
		{"forged", "its process sends no graph"},
		{"namespace", "bad system call"},
		{"escapes", "succeeded: []"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t)
			if tt.want == "it does not end" { // the others end before the deadline, also on a busy machine
				short(t, 5*time.Second)
			}
			_, err := r.Read(context.Background(), ask(t, tt.name, "'"+project+"'"))
			var refused *Refused
			if !errors.As(err, &refused) {
				t.Fatalf("got %v, expected a refusal", err)
			}
			clean := !strings.ContainsAny(refused.Why, "\n\x1b\a") && len(refused.Why) <= 400
			if !strings.Contains(refused.Why, tt.want) || !clean {
				t.Errorf("refused with %q, expected %q", refused.Why, tt.want)
			}
		})
	}
	for _, path := range []string{project + ".written", "/tmp/darwarp-escaped"} {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was written", path)
		}
	}
}

// TestHeld: a function that a module holds is copied with it, and sizes at which a buffer is not as long as the problem
// has it are none of the module's.
func TestHeld(t *testing.T) {
	r := start(t)
	if _, err := r.Read(t.Context(), ask(t, "held", "")); err != nil {
		t.Fatal(err)
	}
	var unfit *Unfit
	if _, err := r.Fits(t.Context(), map[string]int{"rows": 4, "width": 8, "longest": 4}); err != nil {
		t.Errorf("of a buffer that is long enough: %v", err)
	}
	_, err := r.Fits(t.Context(), map[string]int{"rows": 4, "width": 8, "longest": 1})
	if !errors.As(err, &unfit) || !strings.Contains(unfit.Why, "a slice goes beyond its tensor: [None:4] of 1") {
		t.Errorf("of a buffer that is too short, and would be broadcast: %v", err)
	}
	list := []Buffer{
		{Torch: "0", Kind: "input", DType: "fp32", Shape: []int{2, 7}},
		{Torch: "steps", Kind: "buffer", DType: "fp32", Shape: []int{3}},
	}
	_, err = r.Compute(t.Context(), map[string]int{"rows": 2, "width": 7, "longest": 16}, list, make([]byte, 4*(2*7+3)))
	if !errors.As(err, &unfit) || !strings.Contains(unfit.Why, "shape [4] where the problem has [3]") {
		t.Errorf("of an odd width: %v", err)
	}
}

// short bounds how long a file may take.
func short(t *testing.T, d time.Duration) {
	t.Helper()
	old := readDeadline
	readDeadline = d
	t.Cleanup(func() { readDeadline = old })
}
