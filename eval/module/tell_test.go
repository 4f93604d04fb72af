package module

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"darwarp/eval/internal/sandbox"
)

func TestSize(t *testing.T) {
	for _, tt := range []struct {
		shape []int
		want  int
	}{
		{nil, 1}, {[]int{3, 4}, 12}, {[]int{0, 5}, 0}, {[]int{-1}, -1}, {[]int{1 << 20, 1 << 20, 1 << 20}, -1},
		{[]int{math.MaxInt32, math.MaxInt32, 4}, -1},
	} {
		if got := size(tt.shape); got != tt.want {
			t.Errorf("%v has %d numbers, expected %d", tt.shape, got, tt.want)
		}
	}
}

// linear is a module of which values and scales are known: y = x w, with rows that cancel.
const linear = `import tempfile

import torch

tempfile.gettempdir()  # some versions of torch ask for it

rows, terms, cols = 8, 64, 16


class Model(torch.nn.Module):
    def __init__(self, terms, cols):
        super().__init__()
        self.w = torch.nn.Parameter(torch.randn(terms, cols))

    def forward(self, x):
        return torch.einsum("ij,jk->ik", x, self.w) + BEYOND


def get_inputs():
    return [torch.rand(rows, terms)]


def get_init_inputs():
    return [terms, cols]
`

// TestTell: values are those of fp64; a scale is what a number moves by where all terms are off by their roundoff, and
// as large as fp32 needs it. That is so on a GPU, and of a process that may drive one where there is none.
func TestTell(t *testing.T) {
	r := driving(t)
	for _, tt := range []struct {
		name, beyond string
		least, most  float64 // of a scale, over |y| + sqrt(2 sum (x w)^2)
	}{
		{"a product", "0", 0.7, 2},
		{"rounding on the way", "1e5 - 1e5", 20, 1e5},
	} {
		read, err := r.Read(t.Context(), Question{Source: strings.Replace(linear, "BEYOND", tt.beyond, 1), Name: "linear"})
		if err != nil {
			t.Fatal(err)
		}
		dims := map[string]int{"rows": 3, "terms": 50, "cols": 4}
		if shapes, err := r.Fits(t.Context(), dims); err != nil || len(shapes) != 1 || size(shapes[0]) != 12 {
			t.Fatalf("shapes %v, %v", shapes, err)
		}
		x, xs := draw(150)
		w, ws := draw(200)
		told, err := r.Tell(t.Context(), dims, []Buffer{{Torch: "0", Kind: "input", DType: "fp32", Shape: []int{3, 50}},
			{Torch: read.Paths["w"], Kind: "parameter", DType: "fp32", Shape: []int{50, 4}}}, [][]byte{x, w}, []int{12})
		if err != nil {
			t.Fatal(err)
		}
		if told.Terms != 100 {
			t.Errorf("%s: %d terms, expected 50 of each", tt.name, told.Terms)
		}
		for i, got := range told.Values[0] {
			y, squares := 0.0, 0.0
			for k := range 50 {
				term := xs[i/4*50+k] * ws[4*k+i%4]
				y, squares = y+term, squares+2*term*term
			}
			if math.Abs(got-y) > 1e-10 {
				t.Errorf("%s: number %d is %g, expected %g", tt.name, i, got, y)
			}
			if ratio := float64(told.Scales[0][i]) / (math.Abs(y) + math.Sqrt(squares)); ratio < tt.least || ratio > tt.most {
				t.Errorf("%s: the scale of number %d is off by %g", tt.name, i, ratio)
			}
		}
	}
	var unfit *Unfit
	if _, err := r.Fits(t.Context(), map[string]int{"rows": 3, "terms": 50}); err == nil || errors.As(err, &unfit) {
		t.Errorf("without a size: %v", err)
	}
}

const attention = `import torch

batch, heads, queries, keys, width = 3, 4, 2, 6, 8


class Model(torch.nn.Module):
    def forward(self, q, k):
        return torch.nn.functional.scaled_dot_product_attention(q, k, k)


def get_inputs():
    return [torch.rand(batch, heads, queries, width), torch.rand(batch, heads, keys, width)]
`

// TestTellAttention: a NaN in a query is one in all that it gives, also among few keys, where torch's fused kernels
// lose it.
func TestTellAttention(t *testing.T) {
	r := driving(t)
	if _, err := r.Read(t.Context(), Question{Source: attention, Name: "attention"}); err != nil {
		t.Fatal(err)
	}
	q, _ := draw(16)
	binary.LittleEndian.PutUint32(q[4*11:], math.Float32bits(float32(math.NaN())))
	for _, keys := range []int{1, 3, 20} {
		k, _ := draw(8 * keys)
		dims := map[string]int{"batch": 1, "heads": 1, "queries": 2, "keys": keys, "width": 8}
		told, err := r.Tell(t.Context(), dims, []Buffer{
			{Torch: "0", Kind: "input", DType: "fp32", Shape: []int{1, 1, 2, 8}},
			{Torch: "1", Kind: "input", DType: "fp32", Shape: []int{1, 1, keys, 8}}}, [][]byte{q, k}, []int{16})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range told.Values[0] {
			if math.IsNaN(x) != (i >= 8) {
				t.Errorf("%d keys: number %d is %g", keys, i, x)
			}
		}
	}
}

// driving is a reader whose process may drive a GPU: that fence must let torch start, and would be given up for
// another.
func driving(t *testing.T) *Reader {
	t.Helper()
	p, err := locate(t.Context())
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	r, err := prepared()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	if err := r.start(t.Context(), p, sandbox.Best, 0); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTellElsewhere: what fails on a GPU is done on the processor, and what fails there as well is the file's fault.
func TestTellElsewhere(t *testing.T) {
	p, err := locate(t.Context())
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	out, err := exec.CommandContext(t.Context(), p.path, "-c", `
import sys
sys.path.insert(0, "python")
import trial
from refusal import Refused

asked = []
def told_on(device, *rest):
    asked.append(device)
    if device != "cpu" or rest[0] == "bad":
        raise RuntimeError("out of memory")
    return "told"
trial.told_on = told_on
assert trial.tell("good", {}, [], b"", "cuda:7") == "told"
try:
    trial.tell("bad", {}, [], b"", "cuda:7")
except Refused as error:
    print(asked, error)
`).CombinedOutput()
	const want = "['cuda:7', 'cpu', 'cuda:7', 'cpu'] it does not run: RuntimeError: out of memory\n"
	if err != nil || string(out) != want {
		t.Errorf("%v: got %q, expected %q", err, out, want)
	}
}

// draw is n normal numbers, as bytes and as values.
func draw(n int) (data []byte, values []float64) {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	for range n {
		v := float32(rng.NormFloat64())
		data, values = binary.LittleEndian.AppendUint32(data, math.Float32bits(v)), append(values, float64(v))
	}
	return data, values
}
