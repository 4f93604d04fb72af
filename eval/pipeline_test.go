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
// is off by some roundings, and so is each product. Where there is a residual, its sum with x is normalized, and is a
// result, too.
const normLinearTruth = `extern "C" __global__ void reference(const T* x, RESIDUAL const T* weight, const T* matrix,
    const T* bias, double* out, float* scale, SUMS SIZES) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= rows * f) return;
  const int row = at / f, col = at % f;
  double squares = 0, sum = bias[col], size = fabs(double(bias[col]));
  for (int i = 0; i < d; ++i) squares += GIVEN(i) * GIVEN(i);
  const double norm = 1 / sqrt(squares / d + 1.1920928955078125e-07);
  for (int i = 0; i < d; ++i) {
    const double term = GIVEN(i) * norm * weight[i] * matrix[col * d + i];
    sum += term, size += fabs(term);
    KEEP
  }
  out[at] = sum, scale[at] = float(size);
}
`

const summed = "(double(x[row * d + i]) + residual[row * d + i])"

// truths are normLinearTruth with and without a residual, by the graph's name.
var truths = map[string]*strings.Replacer{
	"norm_linear": strings.NewReplacer("RESIDUAL", "", "SUMS", "", "KEEP", "", "SIZES", "int d, int f, int rows",
		"GIVEN(i)", "double(x[row * d + i])"),
	"residual_norm_linear": strings.NewReplacer("RESIDUAL", "const T* residual,", "SUMS", "double* sums, float* size_of,",
		"SIZES", "int rows, int d, int f",
		"KEEP", "if (col == 0) sums[row * d + i] = "+summed+", size_of[row * d + i] = float(fabs("+summed+"));",
		"GIVEN(i)", summed),
}

// TestPipelineGate sends the naive start of a pipeline, and a sampled point, through the gate of the cpu device: one
// that hands on all that its first stage gives, and one of which that is a result, too. A kernel tells the truth here,
// where an import lets the module tell it.
func TestPipelineGate(t *testing.T) {
	for name, rows := range map[string]string{"norm_linear": "d0", "residual_norm_linear": "rows"} {
		t.Run(name, func(t *testing.T) {
			b := truePipeline(t, name, rows)
			starts := gatedPoints(t, b)
			eval.Sometimes(t)
			gatePoints(t, b, b.Problem.SmallWorkloads()[:1], starts)
		})
	}
}

// truePipeline is the folder of a graph of templates/graph/testdata/stages with a kernel as reference.
func truePipeline(t *testing.T, name, rows string) *templates.Bundle {
	t.Helper()
	data, err := os.ReadFile("../templates/graph/testdata/stages/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	small := map[string]int{"d": 24, "f": 20, rows: 9}
	files, err := (&graph.Told{Module: []byte("import torch\n"), Shapes: []map[string]int{small}, Small: small,
		Reference: kernels.Reference{Kind: kernels.ModuleReference, File: "model.py"}}).Folder(g)
	if err != nil || !graph.HasPipeline(files) {
		t.Fatalf("no pipeline: %v", err)
	}
	problem := strings.NewReplacer("kind = \"torch\"\nfile = \"model.py\"",
		"file = \"reference.cu\"\nentry = \"reference\"\ngrid = [\"ceil_div("+rows+" * f, 64)\"]\nblock = [\"64\"]",
		"exact = false\n", "exact = false\nreduction = \"d + 8\"\nterms = []\n").Replace(string(files["problem.toml"]))
	delete(files, "model.py")
	files["problem.toml"], files["reference.cu"] = []byte(problem), []byte(truths[name].Replace(normLinearTruth))
	b, err := templates.FromFiles(files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
