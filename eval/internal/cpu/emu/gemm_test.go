package emu

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// sample is how many points of the space are tried: DARWARP_SAMPLE, or few enough for a test.
func sample(t testing.TB, few int) int {
	t.Helper()
	s := os.Getenv("DARWARP_SAMPLE")
	if s == "" {
		return few
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("DARWARP_SAMPLE=%s: expected a number", s)
	}
	return n
}

// family is the first of the built-in gemm families on a device with everything.
func family(t testing.TB) (*templates.Bundle, *kernels.Family, kernels.Device) {
	t.Helper()
	return familyNamed(t, "tile")
}

func familyNamed(t testing.TB, name string) (*templates.Bundle, *kernels.Family, kernels.Device) {
	t.Helper()
	return familyOf(t, "gemm", name)
}

func familyOf(t testing.TB, problem, name string) (*templates.Bundle, *kernels.Family, kernels.Device) {
	t.Helper()
	b, err := templates.Builtin(problem)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	return b, b.Families[slices.IndexFunc(b.Families, func(f *kernels.Family) bool { return f.Name == name })], dev
}

// point is a genome from text: the defaults but for some genes.
func point(t testing.TB, genes map[string]any) kernels.Job {
	t.Helper()
	b, f, dev := family(t)
	return jobAt(t, b, f, dev, kernels.FP16, genes)
}

// product is one problem C = A * B^T with its truth.
type product struct {
	m, n, k      int
	dtype        kernels.DType
	a, b, c      *memory
	more         map[string]*memory // operands of an epilogue
	truth, scale []float64
	planes       int              // of a batch
	shapes       map[string][]int // of A and B, where these are not those of gemm
}

func widen(bits uint16, t kernels.DType) float64 {
	if t == kernels.BF16 {
		return float64(math.Float32frombits(uint32(bits) << 16))
	}
	sign, e, m := 1-2*float64(bits>>15), int(bits>>10&31), float64(bits&1023)
	switch e {
	case 0:
		return sign * math.Ldexp(m, -24)
	case 31:
		return math.NaN() // or infinite: wrong either way
	}
	return sign * math.Ldexp(1024+m, e-25)
}

// newProduct fills A and B with random numbers of magnitude 1 to 2, which are simple bit patterns in either type.
func newProduct(m, n, k int, dtype kernels.DType, rng *rand.Rand) *product {
	p := &product{m: m, n: n, k: k, dtype: dtype, a: newMemory("A", 2*m*k), b: newMemory("B", 2*n*k),
		c: newMemory("C", 2*m*n)}
	one, bits := uint16(0x3c00), 10
	if dtype == kernels.BF16 {
		one, bits = 0x3f80, 7
	}
	for _, x := range []*memory{p.a, p.b} {
		for i := range view[uint16](x) {
			view[uint16](x)[i] = one | uint16(rng.UintN(1<<bits)) | uint16(rng.UintN(2))<<15
		}
		x.readOnly = true
	}
	p.spoil()
	p.truth, p.scale = make([]float64, m*n), make([]float64, m*n)
	a, b := widenAll(p.a, dtype), widenAll(p.b, dtype)
	for i := range m {
		for j := range n {
			var sum, scale float64
			right := b[j*k : (j+1)*k]
			for l, v := range a[i*k : (i+1)*k] {
				v *= right[l]
				sum += v
				scale += math.Abs(v)
			}
			p.truth[i*n+j], p.scale[i*n+j] = sum, scale
		}
	}
	return p
}

func widenAll(m *memory, t kernels.DType) []float64 {
	out := make([]float64, len(m.bytes)/2)
	for i, bits := range view[uint16](m) {
		out[i] = widen(bits, t)
	}
	return out
}

// spoil makes the results of an earlier run NaN.
func (p *product) spoil() {
	for i := range p.c.bytes {
		p.c.bytes[i] = 0xff
	}
}

// run launches the job's kernels on the product.
func (p *product) run(t testing.TB, prog *program, job *kernels.Job) report {
	t.Helper()
	dims := kernels.Dims{"m": p.m, "n": p.n, "k": p.k}
	if p.planes > 0 {
		dims["batch"] = p.planes
	}
	call, err := job.Resolve(dims)
	if err != nil {
		t.Fatal(err)
	}
	buffers := map[string]*memory{"A": p.a, "B": p.b, "C": p.c}
	maps.Copy(buffers, p.more)
	for _, s := range call.Scratch {
		buffers[s.Name] = newMemory(s.Name, s.Bytes)
	}
	var last report
	for _, l := range call.Launches {
		var args []any
		for _, a := range l.Args {
			switch a.Kind {
			case "i32":
				args = append(args, a.Int)
			case "tensor_map":
				args = append(args, p.mapped(l.Maps[slices.IndexFunc(l.Maps, func(m kernels.TensorMap) bool {
					return m.Name == a.Name
				})], buffers))
			default:
				args = append(args, buffers[a.Name])
			}
		}
		d := func(v [3]int) dim { return dim{uint32(v[0]), uint32(v[1]), uint32(v[2])} }
		prog.cluster = d(l.Cluster)
		if last = prog.launch(t, l.Entry, d(l.Grid), d(l.Block), l.Smem, args...); last.Kind != "" {
			break
		}
	}
	return last
}

// mapped is a tensor map of a launch over the product's buffers.
func (p *product) mapped(m kernels.TensorMap, buffers map[string]*memory) tensorMap {
	if shape := p.shapes[m.Tensor]; shape != nil {
		return tensorMap{buffers[m.Tensor], shape, m.Box, p.dtype.Size(), m.Swizzle}
	}
	shape := map[string][]int{"A": {p.m, p.k}, "B": {len(p.b.bytes) / 2 / p.k, p.k}, "C": {p.m, p.n}}[m.Tensor]
	return tensorMap{buffers[m.Tensor], shape, m.Box, p.dtype.Size(), m.Swizzle}
}

// wrong is the first output that is off by more than rounding explains, or "".
func (p *product) wrong(acc kernels.DType) string {
	eps := math.Ldexp(1, -11)
	if p.dtype == kernels.BF16 {
		eps = math.Ldexp(1, -8)
	}
	sum := math.Ldexp(float64(p.k), -24)
	if acc == kernels.FP16 {
		sum = math.Ldexp(float64(p.k/16+2), -11)
	}
	for i, bits := range view[uint16](p.c) {
		got, want := widen(bits, p.dtype), p.truth[i]
		if !(math.Abs(got-want) <= eps*math.Abs(want)+sum*p.scale[i]+math.Ldexp(1, -24)) {
			return fmt.Sprintf("C[%d,%d] = %g, want %g (%d x %d x %d)", i/p.n, i%p.n, got, want, p.m, p.n, p.k)
		}
	}
	return ""
}

// TestGemm runs points of the real family, at sizes that are ragged in every direction, in both kinds of
// program: the results are right, and the checks find nothing.
func TestGemm(t *testing.T) {
	needCompiler(t)
	b, f, dev := family(t)
	rng := rand.New(rand.NewPCG(7, 7))
	sizes := [][3]int{{1, 1, 1}, {17, 23, 40}, {70, 45, 72}, {33, 130, 136}, {129, 65, 31}}
	for _, dtype := range []kernels.DType{kernels.FP16, kernels.BF16} {
		space, err := kernels.NewSpace(f, dev, dtype, nil)
		if err != nil {
			t.Fatal(err)
		}
		genomes := []kernels.Genome{f.Defaults()}
		for _, mma := range []string{"fma", "wmma", "mma_sync"} {
			for found := 0; found < sample(t, 3); {
				if g := space.Genome(space.At(space.Sample(rng))); fmt.Sprint(g["mma"]) == mma {
					genomes = append(genomes, g)
					found++
				}
			}
		}
		for _, g := range genomes {
			t.Run(string(dtype)+" "+g.Key(), func(t *testing.T) {
				job, err := b.Job(f, g, dev, dtype)
				if err != nil {
					t.Fatal(err)
				}
				for _, checked := range []bool{false, true} {
					prog := build(t, job.Source, checked)
					for i, s := range sizes {
						p := newProduct(s[0], s[1], s[2], dtype, rng)
						prog.seed = uint64(i)
						if r := p.run(t, prog, &job); r.Kind != "" {
							t.Fatalf("checked %v, %v: %+v", checked, s, r)
						}
						if wrong := p.wrong(job.Acc); wrong != "" {
							t.Fatalf("checked %v: %s", checked, wrong)
						}
					}
				}
			})
		}
	}
}

// TestReference runs the problem's own reference kernel, which uses static shared memory and two-dimensional blocks.
func TestReference(t *testing.T) {
	b, _, _ := family(t)
	for _, dtype := range []kernels.DType{kernels.FP16, kernels.BF16} {
		for _, checked := range []bool{false, true} {
			prog := build(t, b.ReferenceSource(dtype), checked)
			p := newProduct(70, 81, 33, dtype, rand.New(rand.NewPCG(5, 5)))
			c, scale := newMemory("C", 8*p.m*p.n), newMemory("C_scale", 4*p.m*p.n)
			prog.good(t, "reference", dim{2, 2, 1}, dim{16, 16, 1}, 0, p.a, p.b, c, scale, p.m, p.n, p.k)
			for i, want := range p.truth {
				if got := view[float64](c)[i]; math.Abs(got-want) > 1e-12*p.scale[i] ||
					math.Abs(float64(view[float32](scale)[i])-p.scale[i]) > 1e-5*p.scale[i] {
					t.Fatalf("%s: element %d is %g +- %g, want %g +- %g", dtype, i, got, view[float32](scale)[i], want, p.scale[i])
				}
			}
		}
	}
}

// BenchmarkGemm is the time of a product of 128^3 by the naive kernel and by better ones, without the
// compilation: ns/op on all processors. The checked programs show what the checks cost.
func BenchmarkGemm(b *testing.B) {
	points := map[string]map[string]any{
		"naive": {},
		"fma": {"block_m": 64, "block_n": 64, "block_k": 32, "thread_m": 4, "thread_n": 4, "loader": "vec16",
			"stages": 2, "smem_layout": "padded"},
		"wmma": {"mma": "wmma", "block_m": 32, "block_n": 32, "block_k": 32, "warp_m": 16, "warp_n": 16,
			"epilogue": "staged"},
		"mma_sync": {"mma": "mma_sync", "block_m": 64, "block_n": 64, "block_k": 32, "warp_m": 32, "warp_n": 32,
			"loader": "cp_async", "stages": 3, "smem_layout": "xor"},
	}
	for _, name := range []string{"naive", "fma", "wmma", "mma_sync"} {
		job := point(b, points[name])
		p := newProduct(128, 128, 128, kernels.FP16, rand.New(rand.NewPCG(1, 1)))
		p.plant(b, name, "gemm_"+name+".cu", &job, "")
		for _, mode := range []string{"fast", "races", "counters"} {
			b.Run(name+"/"+mode, func(b *testing.B) {
				prog := build(b, job.Source, mode != "fast")
				prog.races, prog.counters = mode == "races", mode == "counters"
				for b.Loop() {
					if r := p.run(b, prog, &job); r.Kind != "" {
						b.Fatalf("%+v", r)
					}
				}
				b.ReportMetric(2*128*128*128/float64(b.Elapsed().Nanoseconds())*float64(b.N)*1000, "Mflop/s")
			})
		}
	}
}

// BenchmarkCompile is the time from a source to a shared object.
func BenchmarkCompile(b *testing.B) {
	c := needCompiler(b)
	for name, genes := range map[string]map[string]any{
		"naive": {},
		"mma_sync": {"mma": "mma_sync", "block_m": 64, "block_n": 64, "block_k": 32, "warp_m": 32, "warp_n": 32,
			"loader": "cp_async", "stages": 3, "smem_layout": "xor"},
	} {
		job := point(b, genes)
		for _, checked := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/checked=%v", name, checked), func(b *testing.B) {
				for b.Loop() {
					if _, err := c.compile(job.Source, b.TempDir(), checked); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
