package check

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/kernels"
)

// flash is a simulated kernel of one head: online softmax over tiles of keys, with scores summed in float32, weights
// rounded to the type of the inputs, and, where mistake says so, something wrong.
type flash struct {
	q, k, v    []float64
	s, d, tile int
	causal     bool
	in         kernels.DType
	mistake    string
}

func (f *flash) run() []float64 {
	out := make([]float64, 0, f.s*f.d)
	for row := range f.s {
		out = append(out, f.row(row)...)
	}
	return out
}

// keys is how many keys a row sees.
func (f *flash) keys(row int) int {
	seen := f.s
	if f.causal {
		seen = row + 1
	}
	switch f.mistake {
	case "one key too many": // zeros stand past the end
		seen++
	case "no diagonal":
		seen = max(seen-1, 1)
	case "no last tile":
		seen = max((seen-1)/f.tile*f.tile, 1)
	}
	return seen
}

func (f *flash) row(row int) []float64 {
	most, total, sum := -1e30, float32(0), make([]float32, f.d)
	seen := f.keys(row)
	for key0 := 0; key0 < seen; key0 += f.tile {
		scores := f.scores(row, key0, min(seen, key0+f.tile))
		now := max(most, slices.Max(scores))
		shrink := float32(math.Exp(most - now))
		if f.mistake == "no rescale" && key0 > 0 {
			shrink = 1
		}
		most, total = now, total*shrink
		for i := range sum {
			sum[i] *= shrink
		}
		for j, score := range scores {
			p := math.Exp(score - most)
			total += float32(p)
			w := Round(f.in, p)
			if f.mistake == "weights of 4 bits" {
				w = round(p, 4, -14, 65504)
			}
			for i := 0; i < f.d && key0+j < f.s; i++ {
				sum[i] += float32(w * f.v[(key0+j)*f.d+i])
			}
		}
	}
	out := make([]float64, f.d)
	for i := range sum {
		out[i] = float64(sum[i] / total)
	}
	return out
}

// scores are those of a row with the keys from first to end.
func (f *flash) scores(row, first, end int) []float64 {
	scale := 1 / math.Sqrt(float64(f.d))
	if f.mistake == "scale" {
		scale *= 1.02
	}
	scores := make([]float64, end-first)
	for j := range scores {
		var score float32
		for i := 0; i < f.d && first+j < f.s; i++ {
			score += float32(f.q[row*f.d+i] * f.k[(first+j)*f.d+i])
		}
		scores[j] = float64(score) * scale
	}
	return scores
}

// attentionInputs are the classes that kernels/attention asks for, as the harness makes them.
var attentionInputs = []inputClass{
	{"normal", func(r *rand.Rand, _ int, _ bool) float64 { return r.NormFloat64() }},
	{"uniform", func(r *rand.Rand, _ int, _ bool) float64 { return r.Float64() }},
	{"onehot", func(r *rand.Rand, _ int, second bool) float64 {
		if second {
			return r.NormFloat64()
		}
		return float64(1 - min(r.IntN(16), 1))
	}},
	{"wide", func(r *rand.Rand, _ int, _ bool) float64 {
		return math.Copysign(math.Exp2(10*r.Float64()-5), r.Float64()-0.5)
	}},
}

// TestAttention: right kernels pass in every tile size, type, class and length. Each mistake is found in each type at a
// shape of the list, on the inputs that every shape sees.
func TestAttention(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, in := range []kernels.DType{kernels.FP16, kernels.BF16} {
		found := map[string]bool{"scale": false, "one key too many": false, "no diagonal": false, "no last tile": false,
			"no rescale": false, "weights of 4 bits": false}
		for _, shape := range []struct {
			s, d   int
			causal bool
		}{{1, 64, false}, {17, 64, false}, {33, 128, true}, {127, 64, false}, {129, 64, true}, {260, 64, false}} {
			for n, c := range attentionInputs {
				make1 := func(second bool) []float64 {
					x := make([]float64, shape.s*shape.d)
					for i := range x {
						x[i] = Round(in, c.fill(rng, i%shape.d, second))
					}
					return x
				}
				q, k, v := make1(false), make1(true), make1(true)
				truth := Attention64(in, q, k, v, 1, shape.s, shape.d, shape.causal)
				if err := truth.Validate(shape.s * shape.d); err != nil {
					t.Fatal(err)
				}
				judge := func(tile int, mistake string) Report {
					f := flash{q: q, k: k, v: v, s: shape.s, d: shape.d, tile: tile, causal: shape.causal, in: in, mistake: mistake}
					out := f.run()
					return Judge(Encode(in, out), in, truth, Model{K: shape.s + shape.d, Acc: kernels.FP32, Terms: in})
				}
				for _, tile := range []int{16, 48, 128} {
					if r := judge(tile, ""); !r.Pass() {
						t.Errorf("%s %s %v, tiles of %d: %s", in, c.name, shape, tile, r.Explain("O", []int{shape.s, shape.d}))
					}
				}
				for mistake := range found {
					if n == 0 && shape.s > 16 {
						found[mistake] = found[mistake] || !judge(16, mistake).Pass()
					}
				}
			}
		}
		for mistake, ok := range found {
			if !ok {
				t.Errorf("%s: nobody sees %s", in, mistake)
			}
		}
	}
}

// TestAttentionUnderflow: a weight that is subnormal in float32 may count as 0, whatever it is multiplied by. An H200
// answered 0 where 7e-36 was expected: a weight of 1e-39 and a v of 6000, beside values of 0. A larger weight may not.
func TestAttentionUnderflow(t *testing.T) {
	const s, d = 2, 1
	for _, c := range []struct {
		score float64
		pass  bool
	}{{-88.5, true}, {-87.4, true}, {-82, false}, {-60, false}, {-10, false}} {
		q, k, v := []float64{1, 1}, []float64{0, c.score}, []float64{0, 6016}
		truth := Attention64(kernels.BF16, q, k, v, 1, s, d, false)
		r := Judge(Encode(kernels.BF16, []float64{0, 0}), kernels.BF16, truth,
			Model{K: s + d, Acc: kernels.FP32, Terms: kernels.BF16})
		if r.Pass() != c.pass {
			t.Errorf("0 for %.3g, a weight of e^%g: %s", truth.Value[0], c.score, r.Explain("O", []int{s, d}))
		}
	}
}

// TestWeightsOfFP16: weights that fp16 does not hold may count as 0, however many there are. An H200 answered 2e-7
// where 7e-5 was expected, for keys of 1,024 beside one of large weight and 0. Larger weights may not, and in bf16 none
// of these.
func TestWeightsOfFP16(t *testing.T) {
	const s, d = 5, 1
	for _, c := range []struct {
		of    kernels.DType
		score float64
		pass  bool
	}{{kernels.FP16, -17.4, true}, {kernels.FP16, -14, false}, {kernels.FP16, -10, false}, {kernels.BF16, -17.4, false}} {
		q, v := []float64{1, 1, 1, 1, 1}, []float64{0, 1024, 1024, 1024, 1024}
		k := []float64{0, c.score, c.score, c.score, c.score}
		truth := Attention64(c.of, q, k, v, 1, s, d, false)
		r := Judge(Encode(c.of, make([]float64, s)), c.of, truth, Model{K: s + d, Acc: kernels.FP32, Terms: c.of})
		if r.Pass() != c.pass {
			t.Errorf("%s: 0 for %.3g, weights of e^%g: %s", c.of, truth.Value[0], c.score, r.Explain("O", []int{s, d}))
		}
	}
}
