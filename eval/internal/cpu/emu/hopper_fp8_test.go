package emu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// fp8Product is C = (A * A_scale) * (B * B_scale)^T of small whole numbers and powers of two: sums are exact.
type fp8Product struct {
	dims    kernels.Dims
	dtype   kernels.DType
	buffers map[string]*memory
	shapes  map[string][]int
	want    []float64
}

// smallCodes are -2, -1, 0, 1 and 2 in e4m3.
var smallCodes = []byte{0xc0, 0xb8, 0, 0x38, 0x40}

func newFP8Product(t *testing.T, p *kernels.Problem, dims kernels.Dims, dtype kernels.DType,
	rng *rand.Rand) *fp8Product {
	t.Helper()
	out := &fp8Product{dims, dtype, map[string]*memory{}, map[string][]int{}, nil}
	buffers, err := p.Buffers(dims, dtype)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range buffers {
		m := newMemory(b.Name, b.Elems()*b.DType.Size())
		out.buffers[b.Name], out.shapes[b.Name], m.readOnly = m, b.Shape, !b.Out
		for i := range b.Elems() {
			switch b.DType {
			case kernels.E4M3:
				m.bytes[i] = smallCodes[rng.IntN(len(smallCodes))]
			case kernels.FP32:
				view[float32](m)[i] = float32(math.Ldexp(1, rng.IntN(3)-1))
			}
		}
	}
	a, bt, terms := out.scaled("A", dims["scale_m"]), out.scaled("B", dims["scale_n"]), dims["k"]
	for i := range dims["m"] {
		for j := range dims["n"] {
			sum, column := float32(0), bt[j*terms:]
			for k, v := range a[i*terms : (i+1)*terms] {
				sum += v * column[k]
			}
			out.want = append(out.want, float64(sum))
		}
	}
	return out
}

// scaled is A or B times its scales; so many rows share one, 0: all.
func (p *fp8Product) scaled(name string, shared int) (out []float32) {
	terms, scales, groups := p.dims["k"], view[float32](p.buffers[name+"_scale"]), p.shapes[name+"_scale"][1]
	for i, code := range p.buffers[name].bytes {
		at := 0
		if shared > 0 {
			at = i / terms / shared * groups
		}
		if s := p.dims["scale_k"]; s > 0 {
			at += i % terms / s
		}
		out = append(out, float32(slices.Index(smallCodes, code)-2)*scales[at])
	}
	return out
}

// run launches a job and says what is wrong with C.
func (p *fp8Product) run(t *testing.T, prog *program, job *kernels.Job) (report, string) {
	t.Helper()
	for i := range p.buffers["C"].bytes {
		p.buffers["C"].bytes[i] = 0xff
	}
	call, err := job.Resolve(p.dims)
	if err != nil || len(call.Launches) != 1 {
		t.Fatalf("%v: %d launches, %v", p.dims, len(call.Launches), err)
	}
	for _, s := range call.Scratch {
		p.buffers[s.Name] = newMemory(s.Name, max(s.Bytes, 4))
	}
	l := call.Launches[0]
	args := make([]any, len(l.Args))
	for i, a := range l.Args {
		switch a.Kind {
		case "i32":
			args[i] = a.Int
		case "tensor_map":
			m := l.Maps[slices.IndexFunc(l.Maps, func(m kernels.TensorMap) bool { return m.Name == a.Name })]
			of := p.buffers[m.Tensor]
			elems := p.shapes[m.Tensor][0] * p.shapes[m.Tensor][1]
			args[i] = tensorMap{of, p.shapes[m.Tensor], m.Box, len(of.bytes) / elems, m.Swizzle}
		default:
			args[i] = p.buffers[a.Name]
		}
	}
	d := func(v [3]int) dim { return dim{uint32(v[0]), uint32(v[1]), uint32(v[2])} }
	prog.cluster = d(l.Cluster)
	r := prog.launch(t, l.Entry, d(l.Grid), d(l.Block), l.Smem, args...)
	for _, s := range call.Scratch {
		if s.Once && slices.Max(p.buffers[s.Name].bytes) != 0 {
			return r, s.Name + " is not as the next call must find it"
		}
	}
	return r, p.wrong(l.Entry)
}

func (p *fp8Product) wrong(entry string) string {
	for i, bits := range view[uint16](p.buffers["C"]) {
		got, want := widen(bits, p.dtype), p.want[i]
		if !(math.Abs(got-want) <= p.dtype.Roundoff()*math.Abs(want)) {
			return fmt.Sprintf("%s %v: C[%d,%d] = %g, want %g", entry, p.dims, i/p.dims["n"], i%p.dims["n"], got, want)
		}
	}
	return ""
}

// fp8Dims are ragged sizes: scales of tensors, rows, groups, and what goes to the plain kernel.
var fp8Dims = [][6]int{{70, 264, 528, 1, 1, 0}, {140, 72, 272, 0, 0, 0}, {70, 200, 400, 1, 128, 128},
	{33, 136, 272, 0, 0, 256}, {33, 65, 31, 1, 1, 0}, {20, 40, 64, 1, 128, 32},
	{70, 136, 272, 2, 3, 0}, {33, 264, 272, 1, 128, 0}}

// TestHopperFP8 runs points of gemm_fp8's family for Hopper, drawn and chosen, with every access watched; the
// last without, too.
func TestHopperFP8(t *testing.T) {
	needCompiler(t)
	b, f, dev := familyOf(t, "gemm_fp8", "hopper")
	rng := rand.New(rand.NewPCG(8, 9))
	space, err := kernels.NewSpace(f, dev, kernels.FP16, nil)
	if err != nil {
		t.Fatal(err)
	}
	var products []*fp8Product
	for _, s := range fp8Dims {
		products = append(products, newFP8Product(t, b.Problem, kernels.Dims{"m": s[0], "n": s[1], "k": s[2],
			"scale_m": s[3], "scale_n": s[4], "scale_k": s[5]}, kernels.FP16, rng))
	}
	genomes := []kernels.Genome{
		chosen(f, "block_m", 128, "block_n", 128, "consumers", 1, "block_k", 256, "cluster_m", 2, "epilogue", "tensor"),
		chosen(f, "block_n", 96, "promote", 512, "consumers", 2, "schedule", "ping_pong", "blocks", "persistent",
			"stages", 3, "cluster_n", 2),
		chosen(f, "block_m", 128, "block_n", 80, "stages", 3, "consumers", 2, "schedule", "staggered",
			"blocks", "persistent"),
		chosen(f, "block_m", 128, "block_n", 96, "consumers", 2, "sum_sets", 2, "stages", 4, "cluster_m", 2),
		chosen(f, "block_m", 128, "block_n", 64, "promote", 256, "stages", 4, "blocks", "persistent"),
		chosen(f, "block_m", 128, "block_n", 256, "promote", 0, "consumers", 2, "stages", 3, "epilogue", "tensor"),
	}
	for range sample(t, 1) {
		genomes = append(genomes, space.Genome(space.At(space.Sample(rng))))
	}
	runFP8(t, b, f, dev, genomes, products)
}

// TestFewFP8 does so with the family for few rows: no shares, shares in a cluster, in memory, in both, and more of them
// than steps.
func TestFewFP8(t *testing.T) {
	needCompiler(t)
	b, f, dev := familyOf(t, "gemm_fp8", "few")
	rng := rand.New(rand.NewPCG(10, 11))
	var products []*fp8Product
	for _, s := range [][6]int{{16, 72, 528, 1, 1, 0}, {1, 136, 1040, 0, 0, 0}, {17, 200, 784, 1, 128, 128},
		{9, 72, 656, 0, 1, 256}, {20, 40, 64, 1, 128, 32}} {
		products = append(products, newFP8Product(t, b.Problem, kernels.Dims{"m": s[0], "n": s[1], "k": s[2],
			"scale_m": s[3], "scale_n": s[4], "scale_k": s[5]}, kernels.FP16, rng))
	}
	runFP8(t, b, f, dev, []kernels.Genome{
		chosen(f, "block_m", 128, "block_k", 256, "promote", 256, "stages", 3),
		chosen(f, "block_m", 128, "block_n", 48, "consumers", 2, "split_k", 8, "split_cluster", 4),
		chosen(f, "split_k", 3, "promote", 256, "stages", 3, "shares", "interleaved"),
		chosen(f, "block_n", 32, "split_k", 2, "split_cluster", 2, "shares", "interleaved"),
	}, products)
}

// runFP8 runs points of a family of fp8 products on all of these, with every access watched; the last without, too.
func runFP8(t *testing.T, b *templates.Bundle, f *kernels.Family, dev kernels.Device, genomes []kernels.Genome,
	products []*fp8Product) {
	t.Helper()
	for i, g := range genomes {
		modes := []bool{true}
		if i == len(genomes)-1 {
			modes = append(modes, false)
		}
		t.Run(g.Key(), func(t *testing.T) {
			if err := f.Check(g, dev, kernels.FP16); err != nil {
				t.Fatal(err)
			}
			job, err := b.Job(f, g, dev, kernels.FP16)
			if err != nil {
				t.Fatal(err)
			}
			for _, checked := range modes {
				prog := build(t, job.Source, checked)
				for i, p := range products {
					prog.seed = uint64(i)
					if r, wrong := p.run(t, prog, &job); r.Kind != "" || wrong != "" {
						t.Fatalf("checked %v, %v: %+v %s", checked, p.dims, r, wrong)
					}
				}
			}
		})
	}
}

// chosen is a genome of defaults but for some genes, each name followed by its value.
func chosen(f *kernels.Family, more ...any) kernels.Genome {
	g := f.Defaults()
	for i := 0; i < len(more); i += 2 {
		g[more[i].(string)] = kernels.ParseValue(fmt.Sprint(more[i+1]))
	}
	return g
}

// TestWgmmaOfCodes: products of all codes are added as Hopper's adder is known to: aligned to the largest and cut off.
func TestWgmmaOfCodes(t *testing.T) {
	prog := build(t, testdata(t, "wgmma.cu"), true)
	rng := rand.New(rand.NewPCG(5, 6))
	for name, mantissa := range map[string]int{"codes_e4m3": 3, "codes_e5m2": 2} {
		a, b, c := newMemory("a", 64*128), newMemory("b", 64*128), newMemory("c", 4*64*64)
		for i := range a.bytes {
			a.bytes[i], b.bytes[i] = byte(rng.IntN(0x7b)|rng.IntN(2)<<7), byte(rng.IntN(0x7b)|rng.IntN(2)<<7)
		}
		a.bytes[3*128+17] = 0x7f // NaN
		a.readOnly, b.readOnly = true, true
		prog.good(t, name, x(1), x(128), 16384, a, b, c)
		for i, got := range view[float32](c) {
			row, column := a.bytes[i/64*128:][:128], b.bytes[i%64*128:][:128]
			want := 0.0
			for k := 0; k < 128; k += 32 {
				want = addedAligned(want, row[k:k+32], column[k:k+32], mantissa)
			}
			if got != float32(want) && i/64 != 3 || i/64 == 3 && got == got {
				t.Fatalf("%s: C[%d,%d] = %g, want %g", name, i/64, i%64, got, want)
			}
		}
	}
}

// addedAligned adds the products of two rows of codes to a sum.
func addedAligned(sum float64, a, b []byte, mantissa int) float64 {
	terms, largest := []float64{sum}, math.Abs(sum)
	for i := range a {
		p := codeOf(a[i], mantissa) * codeOf(b[i], mantissa)
		terms, largest = append(terms, p), max(largest, math.Abs(p))
	}
	unit, out := math.Ldexp(1, math.Ilogb(largest)-13), 0.0
	for _, x := range terms {
		out += math.Trunc(x/unit) * unit
	}
	if out != 0 {
		unit = math.Ldexp(1, math.Ilogb(out)-13)
	}
	return math.Trunc(out/unit) * unit
}

// codeOf is the number of a code with so many bits of mantissa.
func codeOf(code byte, mantissa int) float64 {
	exponent, bias := int(code&0x7f)>>mantissa, 1<<(6-mantissa)-1
	m := float64(int(code)&(1<<mantissa-1)) / float64(int(1)<<mantissa)
	if exponent > 0 {
		m, exponent = m+1, exponent-1
	}
	return math.Copysign(math.Ldexp(m, exponent+1-bias), float64(1-2*int(code>>7)))
}
