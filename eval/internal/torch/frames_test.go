package torch

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// serving starts a Python that answers with frames.py, without torch.
func serving(t *testing.T, script string) *proc.Worker {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	w, err := proc.Start(t.Context(), proc.Spec{Exe: python, Args: []string{"-c", Frames + script}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// TestFrames: a Python says hello as a worker does, and names, bodies and bytes pass both ways.
func TestFrames(t *testing.T) {
	w := serving(t, `
def answer(body, blob):
    ((what, req),) = body.items()
    return {"failure": what, "samples": [2 * n for n in req["numbers"]]}, blob[::-1]

serve(answer)
`)
	for range 2 {
		var got reply
		req := NewRequest("twice", map[string]any{"numbers": []float64{1.5, -3}}, []byte("\x00\xffabc"))
		if err := w.Call(t.Context(), req, &got, time.Minute, nil); err != nil {
			t.Fatal(err)
		}
		if got.Failure != "twice" || len(got.Samples) != 2 || got.Samples[0] != 3 || got.Samples[1] != -6 ||
			string(got.Bytes) != "cba\xff\x00" {
			t.Errorf("got %+v", got)
		}
	}
}

// TestFramesOfNaN: Python would write NaN, which is no JSON, and which a reader may take for a number.
func TestFramesOfNaN(t *testing.T) {
	for _, number := range []string{"nan", "inf", "-inf"} {
		w := serving(t, "\nserve(lambda body, blob: ({'estimate': float('"+number+"')}, b''))\n")
		err := w.Call(t.Context(), NewRequest("x", nil, nil), &reply{}, time.Minute, nil)
		if err == nil || !strings.Contains(err.Error(), "not JSON compliant") {
			t.Errorf("%s: got %v", number, err)
		}
	}
}

// TestHelperSpeaks: the helper stands behind frames.py as one text. What its torch does wrong is a failure, and the
// process lives.
func TestHelperSpeaks(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	fake := filepath.Join(t.TempDir(), "torch.py")
	if err := os.WriteFile(fake, []byte("raise ImportError('no such torch')\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", filepath.Dir(fake))
	t.Setenv("DARWARP_PYTHON", python)
	var no *Failure
	if _, err := Load(context.Background(), true); !errors.As(err, &no) || !strings.Contains(no.Why, "no such torch") {
		t.Errorf("got %v", err)
	}
	if err := kernels.CheckLine(no.Why, 400); err != nil {
		t.Error(err)
	}
}
