package inputs

import (
	"math"
	"math/rand/v2"
	"testing"

	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/check"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// TestScatteredIsSure: of 256 outputs of a norm of products the error of the whole scatters so much that terms in fp16
// stand in two cases of normal numbers of five. A trial has so many of them that one tells, whatever a session draws.
func TestScatteredIsSure(t *testing.T) {
	p := folder(t, "normed")
	for seed := range uint64(6) {
		set, err := cases.New(cases.Wanted{Problem: p, DType: kernels.FP32, Workloads: p.Workloads[1:],
			Effort: cases.Emulated(), RNG: rand.New(rand.NewPCG(seed, 8))})
		if err != nil {
			t.Fatal(err)
		}
		told := false
		for _, i := range set.Trials[p.Workloads[1].Name] {
			c := &set.List[i]
			told = told || c.Class == "normal" && c.Workload != "" && termsInHalf(t, p, c)
		}
		if !told {
			t.Errorf("session %d: no case tells terms in fp16", seed)
		}
	}
}

// termsInHalf reports whether products whose terms are rounded to fp16 are refused in a case of normed.
func termsInHalf(t *testing.T, p *kernels.Problem, c *device.Case) bool {
	t.Helper()
	k, cols := c.Dims["terms"], c.Dims["cols"]
	var in [5][]float64
	for i := range in {
		in[i] = filled(t, c, i, c.Seed)
	}
	var truth check.Truth
	var out []float64
	for at := range c.Dims["rows"] * cols / (cols / 4) {
		var right, wrong, size []float64
		for i := range cols / 4 {
			col := at%4*(cols/4) + i
			x, w := in[0][at/4*k:at/4*k+k], in[1][col*k:col*k+k]
			sum, half, all := in[2][col], in[2][col], 0.0
			for j := range x {
				term := x[j] * w[j]
				sum, half, all = sum+term, half+check.Round(kernels.FP16, term), all+math.Abs(term)
			}
			right, wrong, size = append(right, sum), append(wrong, half), append(size, all)
		}
		right, spread := normed(right)
		wrong, _ = normed(wrong)
		for i := range right {
			col := at%4*(cols/4) + i
			truth.Value = append(truth.Value, right[i]*in[3][col]+in[4][col])
			truth.Scale = append(truth.Scale, float32(2*size[i]/spread*math.Abs(in[3][col])))
			out = append(out, wrong[i]*in[3][col]+in[4][col])
		}
	}
	terms, err := p.Reduction(c.Dims, kernels.FP32)
	if err != nil {
		t.Fatal(err)
	}
	model := check.Model{K: terms, Coherent: true, Scattered: true}
	return !check.Judge(check.Encode(kernels.FP32, out), kernels.FP32, truth, model).Pass()
}

// normed are numbers less their mean, over the root of their variance, which is told.
func normed(p []float64) (out []float64, spread float64) {
	mean := 0.0
	for _, v := range p {
		mean += v / float64(len(p))
	}
	for _, v := range p {
		spread += (v - mean) * (v - mean) / float64(len(p))
	}
	spread = math.Sqrt(spread + 1e-5)
	for _, v := range p {
		out = append(out, (v-mean)/spread)
	}
	return out, spread
}
