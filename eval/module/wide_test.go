package module

import (
	"math"
	"testing"
)

const widens = `import torch

rows, cols = 8, 64


class Model(torch.nn.Module):
    def forward(self, x):
        h = x.to(torch.float32) / 0.7
        return h.float() + torch.softmax(x, -1, dtype=torch.float32).to(x.dtype) + x.clamp(min=torch.finfo(x.dtype).min)


def get_inputs():
    return [torch.rand(rows, cols)]
`

// TestWide: a module that widens to fp32 on the way, as those of language models do, is not rounded to fp32 where it
// runs in fp64, and its plain numbers are those that torch computes with.
func TestWide(t *testing.T) {
	r := driving(t)
	if _, err := r.Read(t.Context(), Question{Source: widens, Name: "widens"}); err != nil {
		t.Fatal(err)
	}
	x, xs := draw(10)
	told, err := r.Tell(t.Context(), map[string]int{"rows": 2, "cols": 5},
		[]Buffer{{Torch: "0", Kind: "input", DType: "fp32", Shape: []int{2, 5}}}, [][]byte{x}, []int{10})
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range told.Values[0] {
		sum := 0.0
		for k := range 5 {
			sum += math.Exp(xs[i/5*5+k])
		}
		if want := xs[i]/float64(float32(0.7)) + math.Exp(xs[i])/sum + xs[i]; math.Abs(got-want) > 1e-14 {
			t.Errorf("number %d is %.17g, expected %.17g", i, got, want)
		}
	}
}
