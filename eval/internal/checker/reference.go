package checker

import (
	"fmt"

	"darwarp/eval/internal/check"
	"darwarp/kernels"
)

// references are the problems whose truth is also known in Go, by the element type of the first input.
var references = map[string]func(t kernels.DType, d kernels.Dims, in [][]float64) []check.Truth{
	"gemm": func(_ kernels.DType, d kernels.Dims, in [][]float64) []check.Truth {
		return []check.Truth{check.GEMM64(in[0], transpose(in[1], d["n"], d["k"]), d["m"], d["n"], d["k"])}
	},
	"gemm_batched": planes(true, true),
	"gemm_nn":      planes(true, false),
	"gemm_tn":      planes(false, false),
	"gemm_tt":      planes(false, true),
	"attention": func(t kernels.DType, d kernels.Dims, in [][]float64) []check.Truth {
		return []check.Truth{check.Attention64(t, in[0], in[1], in[2], d["b"]*d["h"], d["s"], d["d"], d["causal"] == 1)}
	},
	"gemm_mxfp4": func(_ kernels.DType, d kernels.Dims, in [][]float64) []check.Truth {
		weights := widened(in[1], in[2], d["k"])
		return []check.Truth{check.GEMM64(in[0], transpose(weights, d["n"], d["k"]), d["m"], d["n"], d["k"])}
	},
	"decode": func(t kernels.DType, d kernels.Dims, in [][]float64) []check.Truth {
		o, lse := check.Decode64(t, d, in)
		return []check.Truth{o, lse}
	},
	"decode_fp8": check.DecodeFP8,
	"decode_mla": check.DecodeMLA,
}

// planes is the truth of a product for each plane of a batch, of operands whose terms are neighbours in memory or not.
func planes(alongA, alongB bool) func(t kernels.DType, d kernels.Dims, in [][]float64) []check.Truth {
	return func(_ kernels.DType, d kernels.Dims, in [][]float64) []check.Truth {
		m, n, k, all := d["m"], d["n"], d["k"], check.Truth{}
		for i := range d["batch"] {
			a, b := in[0][i*m*k:(i+1)*m*k], in[1][i*n*k:(i+1)*n*k]
			if !alongA {
				a = transpose(a, k, m)
			}
			if alongB {
				b = transpose(b, n, k)
			}
			one := check.GEMM64(a, b, m, n, k)
			all.Value, all.Scale = append(all.Value, one.Value...), append(all.Scale, one.Scale...)
		}
		return []check.Truth{all}
	}
}

// widened are the weights of rows of k codes of MXFP4, two to a byte, the first in its lower half, with scales of 32.
func widened(codes, scales []float64, k int) []float64 {
	out := make([]float64, 0, 2*len(codes))
	for i, two := range codes {
		scale := scales[i*2/k*(k/32)+i*2%k/32]
		out = append(out, check.E2M1(uint8(two)&15)*scale, check.E2M1(uint8(two)>>4)*scale)
	}
	return out
}

func transpose(a []float64, rows, cols int) []float64 {
	out := make([]float64, len(a))
	for i := range rows {
		for j := range cols {
			out[j*rows+i] = a[i*cols+j]
		}
	}
	return out
}

// HasReference reports whether a problem's reference kernel can be checked.
func HasReference(problem string) bool { return references[problem] != nil }

// Agrees holds the truths that the reference kernel gave on a case's inputs, by buffer, against those in Go.
func (s *Setup) Agrees(req *Reference, inputs [][]byte, truths []check.Truth) (*JudgeReply, error) {
	ref := references[req.Problem]
	if ref == nil {
		return nil, fmt.Errorf("checker: no reference in Go for %s", req.Problem)
	}
	c := &s.Cases[req.Case]
	var in [][]float64
	for i, b := range c.Buffers {
		if !b.Out {
			values := make([]float64, b.Elems())
			check.Decode(b.DType, inputs[i], values)
			in = append(in, values)
		}
	}
	reply := &JudgeReply{}
	for i, want := range ref(c.Buffers[0].DType, c.Dims, in) {
		if err := truths[i].Agrees(want, s.Terms[req.Case].K); err != nil {
			reply.Wrong = fmt.Sprintf("reference kernel on %s: %v", c.Name, err)
		}
	}
	return reply, nil
}
