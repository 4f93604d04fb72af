package module

import (
	"cmp"
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// steps is a module that rounds numbers on the way, and sums of them.
const steps = `import torch

rows, terms = 8, 64


class Model(torch.nn.Module):
    def forward(self, x, s):
        q = STEP * s
        return q, q.sum(1)


def get_inputs():
    return [torch.rand(rows, terms), torch.rand(1)]
`

// floats are numbers of fp32 as bytes.
func floats(x []float64) (out []byte) {
	for _, v := range x {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
	}
	return out
}

// TestTellSteps: where rounding may put a number on either side of a step, the tolerance, of 64 roundoffs of the scale
// at least, leaves room for either, also in a sum. Elsewhere it is as small as ever.
func TestTellSteps(t *testing.T) {
	r := driving(t)
	const rows, terms, s = 400, 12, 0.07
	for name, tt := range map[string]struct {
		step string
		at   float64 // of a step, beside a whole number
		only float64 // that one; 0: beside each
	}{
		"round":    {"torch.round(x / s)", 0.5, 0},
		"floor":    {"(x / s).floor()", 0, 0},
		"compared": {"(x / s > 3.5).to(x.dtype)", 0.5, 3},
		"bytes":    {"(x / s).to(torch.uint8)", 0, 0},
		"divided":  {"torch.div(x, s, rounding_mode='floor')", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			q := Question{Source: strings.Replace(steps, "STEP", tt.step, 1), Name: "steps"}
			if _, err := r.Read(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			x, near := make([]float64, rows*terms), map[int]bool{}
			for i := range x {
				x[i] = (float64(i%29) + tt.at + 0.3) * float64(float32(s))
				if k := i % terms; k == i/terms%5 || k == 7 { // by two roundoffs, on either side
					x[i], near[i] = (cmp.Or(tt.only, float64(i%29+1))+tt.at)*float64(float32(s)), true
					x[i] = float64(float32(x[i]) * (1 + float32(2*(i%3)-2)*0x1p-23))
				}
			}
			told, err := r.Tell(t.Context(), map[string]int{"rows": rows, "terms": terms},
				[]Buffer{{Torch: "0", Kind: "input", DType: "fp32", Shape: []int{rows, terms}},
					{Torch: "1", Kind: "input", DType: "fp32", Shape: []int{1}}}, [][]byte{floats(x), floats([]float64{s})},
				[]int{rows * terms, rows})
			if err != nil {
				t.Fatal(err)
			}
			for i, scale := range told.Scales[0] {
				if room := 64 * 0x1p-24 * float64(scale) / s; near[i] && room < 0.99 || !near[i] && room > 0.01 {
					t.Errorf("number %d, near a step: %v: room for %g of it", i, near[i], room)
				}
			}
			for i, scale := range told.Scales[1] {
				if room := 64 * 0x1p-24 * float64(scale) / s; room < 0.99 || room > 20 {
					t.Errorf("sum %d, of two that are near a step: room for %g of it", i, room)
				}
			}
		})
	}
}
