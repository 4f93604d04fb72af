package eval_test

import (
	"os"
	"strings"
	"testing"

	"darwarp/eval"
	"darwarp/kernels"
	"darwarp/templates"
	"darwarp/templates/graph"
)

// normLinearTruth is the truth of an RMS norm and the linear layer behind it, with errors as scales say them: each norm
// is off by some roundings, and so is each product.
const normLinearTruth = `extern "C" __global__ void reference(const T* x, const T* weight, const T* matrix, const T* bias,
    double* out, float* scale, int d, int f, int rows) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= rows * f) return;
  const int row = at / f, col = at % f;
  double squares = 0, sum = bias[col], size = fabs(double(bias[col]));
  for (int i = 0; i < d; ++i) squares += double(x[row * d + i]) * x[row * d + i];
  const double norm = 1 / sqrt(squares / d + 1.1920928955078125e-07);
  for (int i = 0; i < d; ++i) {
    const double term = x[row * d + i] * norm * weight[i] * matrix[col * d + i];
    sum += term, size += fabs(term);
  }
  out[at] = sum, scale[at] = float(size);
}
`

// TestPipelineGate sends the naive start of a pipeline, and a sampled point, through the gate of the cpu device. A
// kernel tells the truth here, where an import lets the module tell it.
func TestPipelineGate(t *testing.T) {
	data, err := os.ReadFile("../templates/graph/testdata/stages/norm_linear.json")
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	small := map[string]int{"d": 24, "f": 20, "d0": 9}
	files, err := (&graph.Told{Module: []byte("import torch\n"), Shapes: []map[string]int{small}, Small: small,
		Reference: kernels.Reference{Kind: kernels.ModuleReference, File: "model.py"}}).Folder(g)
	if err != nil || !graph.HasPipeline(files) {
		t.Fatalf("no pipeline: %v", err)
	}
	problem := strings.NewReplacer("kind = \"torch\"\nfile = \"model.py\"",
		"file = \"reference.cu\"\nentry = \"reference\"\ngrid = [\"ceil_div(d0 * f, 64)\"]\nblock = [\"64\"]",
		"exact = false\n", "exact = false\nreduction = \"d + 8\"\nterms = []\n").Replace(string(files["problem.toml"]))
	delete(files, "model.py")
	files["problem.toml"], files["reference.cu"] = []byte(problem), []byte(normLinearTruth)
	b, err := templates.FromFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	starts := gatedPoints(t, b)
	eval.Sometimes(t)
	gatePoints(t, b, b.Problem.SmallWorkloads()[:1], starts)
}
