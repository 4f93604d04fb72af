package check

import (
	"math"

	"darwarp/kernels"
)

// flushed is the part of attention's scale, for each |v|, that lets weights below the smallest normal float32 be 0, and
// weights of fp16 be off by half of its smallest number.
func flushed(weights kernels.DType) float64 {
	if weights == kernels.FP16 {
		return 0x1p-113 + 0x1p-14
	}
	return 0x1p-113
}

// Attention64 is the truth of softmax(Q*K^T/sqrt(d))*V for `heads` matrices of s by d, with the scale that
// kernels/attention/reference.cu derives.
func Attention64(weights kernels.DType, q, k, v []float64, heads, s, d int, causal bool) Truth {
	t := Truth{Value: make([]float64, heads*s*d), Scale: make([]float32, heads*s*d)}
	keys, values := rowsOf(k, d), rowsOf(v, d)
	for row, query := range rowsOf(q, d) {
		from, seen := row/s*s, s
		if causal {
			seen = row%s + 1
		}
		t.attend(row*d, weights, query, keys[from:from+seen], values[from:from+seen], 0)
	}
	return t
}

// Decode64 is the truth of the problem decode for its inputs Q, K, V, lengths and table, and that of the logarithms of
// the sums.
func Decode64(weights kernels.DType, d kernels.Dims, in [][]float64) (t, lse Truth) {
	n, group := d["d"], d["g"]*d["t"]
	t = Truth{Value: make([]float64, len(in[0])), Scale: make([]float32, len(in[0]))}
	keys, values := rowsOf(in[1], n), rowsOf(in[2], n)
	for row, query := range rowsOf(in[0], n) {
		of := row / group // the head of the cache
		length := int(in[3][of/d["h"]])
		to := max(0, length-(d["t"]-1-row%d["t"]))
		from := 0
		if d["window"] > 0 {
			from = max(0, to-d["window"])
		}
		var k, v [][]float64
		for key := from; key < to; key++ {
			at := of*d["s"] + key
			if page := d["page"]; page > 0 {
				pages := (d["s"] + page - 1) / page
				at = (int(in[4][of/d["h"]*pages+key/page])*d["h"]+of%d["h"])*page + key%page
			}
			k, v = append(k, keys[at]), append(v, values[at])
		}
		sum, scale := t.attend(row*n, weights, query, k, v, float64(d["cap"]))
		lse.Value, lse.Scale = append(lse.Value, sum), append(lse.Scale, scale)
	}
	return t, lse
}

// DecodeFP8 is the truth of the problem decode_fp8 for its inputs Q, K, V, their scales, lengths and table.
func DecodeFP8(weights kernels.DType, d kernels.Dims, in [][]float64) []Truth {
	scaled := func(codes, scales []float64) []float64 {
		of := d["s"] * d["d"] // numbers of a head
		if d["page"] > 0 {
			of = d["page"] * d["d"]
		}
		out := make([]float64, len(codes))
		for i, x := range codes {
			out[i] = x * scales[i/of%d["h"]]
		}
		return out
	}
	t, lse := Decode64(weights, d, [][]float64{in[0], scaled(in[1], in[3]), scaled(in[2], in[4]), in[5], in[6]})
	return []Truth{t, lse}
}

// DecodeMLA is the truth of the problem decode_mla for its inputs Q, C, lengths and table.
func DecodeMLA(weights kernels.DType, d kernels.Dims, in [][]float64) []Truth {
	const key, value = 576, 512
	rows, pages := d["t"]*d["h"], 0
	if d["page"] > 0 {
		pages = (d["s"] + d["page"] - 1) / d["page"]
	}
	t := Truth{Value: make([]float64, d["b"]*rows*value), Scale: make([]float32, d["b"]*rows*value)}
	lse, cache := Truth{}, rowsOf(in[1], key)
	for row, query := range rowsOf(in[0], key) {
		batch := row / rows
		var k, v [][]float64
		for i := range max(0, int(in[2][batch])-(d["t"]-1-row%rows/d["h"])) {
			at := batch*d["s"] + i
			if pages > 0 {
				at = int(in[3][batch*pages+i/d["page"]])*d["page"] + i%d["page"]
			}
			k, v = append(k, cache[at]), append(v, cache[at][:value])
		}
		scaled := make([]float64, key) // attend divides by the root of 576
		for i, x := range query {
			scaled[i] = x * math.Sqrt(key/192.0)
		}
		sum, scale := t.attend(row*value, weights, scaled, k, v, 0)
		lse.Value, lse.Scale = append(lse.Value, sum), append(lse.Scale, scale)
	}
	return []Truth{t, lse}
}

// rowsOf are the rows of a matrix of d columns.
func rowsOf(a []float64, d int) (rows [][]float64) {
	for ; len(a) >= d; a = a[d:] {
		rows = append(rows, a[:d])
	}
	return rows
}

// attend puts the output of one query and its scale at `at`; those of one that sees no key stay 0. It returns the
// logarithm of the sum with its scale, as kernels/prefill/reference.cu has them.
func (t Truth) attend(
	at int, weights kernels.DType, query []float64, keys, values [][]float64, limit float64,
) (lse float64, lseScale float32) {
	score, magnitude := make([]float64, len(keys)), make([]float64, len(keys))
	root, most := math.Sqrt(float64(len(query))), math.Inf(-1)
	for j, key := range keys {
		for i, x := range query {
			score[j] += x * key[i] / root
			magnitude[j] += math.Abs(x*key[i]) / root
		}
		if limit > 0 {
			score[j] = limit * math.Tanh(score[j]/limit)
		}
		most = max(most, score[j])
	}
	total, spread := 0.0, 0.0
	for j := range keys {
		score[j] = math.Exp(score[j] - most)
		total += score[j]
		spread += score[j] * magnitude[j]
	}
	if len(keys) == 0 {
		return math.Inf(-1), 0
	}
	for i := range values[0] {
		sum, size, risk, under := 0.0, 0.0, 0.0, 0.0
		for j := range keys {
			x := values[j][i]
			sum += score[j] * x
			size += score[j] * math.Abs(x)
			risk += score[j] * math.Abs(x) * magnitude[j]
			under += math.Abs(x) * flushed(weights)
		}
		t.Value[at+i] = sum / total
		t.Scale[at+i] = float32((size + (risk+math.Abs(sum/total)*spread)/8 + under) / total)
	}
	lse = most + math.Log(total)
	return lse, float32(1 + math.Abs(lse) + spread/total/8)
}
