package export

import (
	"testing"

	"darwarp/templates"
)

// TestDrawnInputs: lengths and tables are whole numbers of their own in the bench and in the operator's test, too.
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
	if files, err = k.files(); err != nil {
		t.Fatal(err)
	}
	holds(t, "torch_check.py", files["torch_check.py"], `(torch.int32, [2], ("lengths", 64, 256))`,
		`(torch.int32, [2, 1], ("permutation", 0, 1))`)
	holds(t, "torch_op.py", files["torch_op.py"], `Q.new_empty((b, (h * g), t, d, ), dtype=torch.float16)`,
		`torch._check(K.shape[0] == ((b * (-(-s // page))) if (page > 0) else b), lambda: "K: expected page`)
}
