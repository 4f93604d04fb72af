package emu

import (
	"math"
	"math/rand/v2"
	"testing"

	"darwarp/kernels"
)

// attention is one problem, all [heads,s,d] in fp16.
type attention struct {
	heads, s, d, causal int
	q, k, v, o          *memory
}

func newAttention(heads, s, d, causal int, rng *rand.Rand) *attention {
	p := newProduct(heads*s, heads*s, d, kernels.FP16, rng) // A and B are what is needed of it
	v := newProduct(heads*s, 1, d, kernels.FP16, rng)
	o := newMemory("O", 2*heads*s*d)
	for i := range o.bytes {
		o.bytes[i] = 0xff
	}
	p.a.name, p.b.name, v.a.name = "Q", "K", "V"
	return &attention{heads, s, d, causal, p.a, p.b, v.a, o}
}

func (a *attention) run(t testing.TB, prog *program, job *kernels.Job) report {
	t.Helper()
	call, err := job.Resolve(kernels.Dims{"b": 1, "h": a.heads, "s": a.s, "d": a.d, "causal": a.causal})
	if err != nil {
		t.Fatal(err)
	}
	l, tickets := call.Launches[0], newMemory("tickets", 4)
	of := map[string]*memory{"Q": a.q, "K": a.k, "V": a.v, "O": a.o, tickets.name: tickets}
	maps := map[string]tensorMap{}
	for _, m := range l.Maps {
		maps[m.Name] = tensorMap{of[m.Tensor], []int{1, a.heads, a.s, a.d}, m.Box, 2, m.Swizzle}
	}
	var args []any
	for _, x := range l.Args {
		switch x.Kind {
		case "i32":
			args = append(args, x.Int)
		case "tensor_map":
			args = append(args, maps[x.Name])
		default:
			args = append(args, of[x.Name])
		}
	}
	prog.cluster = x(l.Cluster[0])
	r := prog.launch(t, l.Entry, x(l.Grid[0]), x(l.Block[0]), l.Smem, args...)
	if left := view[uint32](tickets)[0]; left != 0 {
		t.Fatalf("the counter is left at %d", left)
	}
	return r
}

// worst is the greatest error of an output, whose magnitude is at most 2.
func (a *attention) worst() (worst float64) {
	at := func(m *memory, row, i int) float64 { return widen(view[uint16](m)[row*a.d+i], kernels.FP16) }
	for row := range a.heads * a.s {
		first, keys := row/a.s*a.s, a.s
		if a.causal == 1 {
			keys = row%a.s + 1
		}
		weights, most := make([]float64, keys), math.Inf(-1)
		for key := range keys {
			for i := range a.d {
				weights[key] += at(a.q, row, i) * at(a.k, first+key, i) / math.Sqrt(float64(a.d))
			}
			most = max(most, weights[key])
		}
		sum, out := 0.0, make([]float64, a.d)
		for key, score := range weights {
			w := math.Exp(score - most)
			sum += w
			for i := range a.d {
				out[i] += w * at(a.v, first+key, i)
			}
		}
		for i, want := range out {
			if e := math.Abs(at(a.o, row, i) - want/sum); !(e <= worst) { // not a number is wrong, too
				worst = e
			}
		}
	}
	return worst
}

// TestHopperAttention runs points of attention's family for Hopper where warpgroups have no queries, one key, or
// several tiles, and where their number and that of the tiles are odd.
func TestHopperAttention(t *testing.T) {
	needCompiler(t)
	for _, c := range []struct {
		name  string
		sms   int
		genes map[string]any
		sizes [][4]int // heads, s, d, causal
	}{
		{"turns of three", 1, map[string]any{"consumers": 3, "turns": true, "overlap": "next_qk", "stages": 2, "block_kv": 32,
			"grid": "persistent"}, [][4]int{{3, 65, 64, 1}, {1, 1, 64, 0}, {2, 200, 64, 1}}},
		{"one stage", 132, map[string]any{"consumers": 2}, [][4]int{{2, 1, 128, 1}, {1, 130, 64, 0}}},
		{"longest first", 2, map[string]any{"consumers": 2, "turns": true, "order": "longest", "grid": "persistent",
			"rescale": "lazy", "exp_fma": 2, "block_kv": 48, "stages": 3}, [][4]int{{3, 150, 128, 1}, {1, 64, 64, 1}}},
		{"queue", 2, map[string]any{"order": "longest", "heads_at_once": 8, "grid": "queue", "rescale": "exponents",
			"exp_fma": 1, "block_kv": 32, "stages": 2, "overlap": "next_qk"}, [][4]int{{9, 66, 64, 1}}},
		{"clusters", 4, map[string]any{"cluster": 2, "consumers": 2, "block_kv": 48, "grid": "persistent",
			"rescale": "exponents", "store": "chunks"}, [][4]int{{3, 150, 64, 1}}},
		{"narrow", 2, map[string]any{"narrow": 32, "consumers": 2, "block_kv": 128, "stages": 2, "overlap": "next_qk",
			"turns": true, "rescale": "exponents", "grid": "queue"}, [][4]int{{1, 275, 64, 0}, {1, 300, 64, 0}, {2, 20, 64, 1}}},
		{"narrow in turn", 1, map[string]any{"narrow": 64, "block_kv": 128, "grid": "persistent", "rescale": "lazy"},
			[][4]int{{2, 180, 64, 0}, {2, 150, 64, 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			job := hopperJob(t, "attention", c.sms, c.genes)
			prog, rng := build(t, job.Source, true), rand.New(rand.NewPCG(7, 7))
			for _, s := range c.sizes {
				for prog.seed = range 2 {
					a := newAttention(s[0], s[1], s[2], s[3], rng)
					if r := a.run(t, prog, &job); r.Kind != "" {
						t.Fatalf("seed %d, %v: %+v", prog.seed, s, r)
					}
					if worst := a.worst(); !(worst < 4e-3) {
						t.Fatalf("seed %d, %v: an error of %g", prog.seed, s, worst)
					}
				}
			}
		})
	}
}
