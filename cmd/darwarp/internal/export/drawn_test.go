package export

import (
	"strings"
	"testing"

	"darwarp/templates"
)

// TestDrawnInputs: lengths and tables are whole numbers of their own in the bench, too, and forms whose tests would
// make others are refused.
func TestDrawnInputs(t *testing.T) {
	b, err := templates.Builtin("decode")
	if err != nil {
		t.Fatal(err)
	}
	k := gemm(t)
	k.Bundle, k.Workloads = b, b.Problem.Workloads[:1]
	if k.Job, err = b.Job(b.Families[0], nil, k.Device, k.DType); err != nil {
		t.Fatal(err)
	}
	files, err := k.files()
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "bench.cu", files["bench.cu"], `{"lengths", false, INT32, 2, 2, 64, 256}`,
		`{"table", false, INT32, 2, 3, 0, 1}`)
	k.As = []string{"torch"}
	if _, err = k.files(); err == nil || !strings.Contains(err.Error(), "export it as header") {
		t.Errorf("PyTorch's operator: %v", err)
	}
}
