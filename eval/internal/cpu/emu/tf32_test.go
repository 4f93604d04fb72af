package emu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// TestWgmmaTF32: of floats the lowest 13 bits do not count, whatever they are.
func TestWgmmaTF32(t *testing.T) {
	const k = 96
	for _, checked := range []bool{false, true} {
		prog := build(t, testdata(t, "wgmma.cu"), checked)
		a, b, c := newMemory("A", 4*64*k), newMemory("B", 4*64*k), newMemory("C", 4*64*64)
		for i := range 64 * k {
			view[float32](a)[i] = math.Float32frombits(math.Float32bits(float32(i*7%11-5)) | uint32(i*5%8192))
			view[float32](b)[i] = math.Float32frombits(math.Float32bits(float32(i*5%13-6)) | 0x1fff)
		}
		of := func(m *memory) tensorMap { return tensorMap{m, []int{64, k}, []int{64, 32}, 4, 128} }
		prog.good(t, "product_tf32", x(1), x(128), 2*64*128, of(a), of(b), c, k/32)
		for i, v := range view[float32](c) {
			want := float32(0)
			for j := range k {
				want += float32(((i/64*k+j)*7%11 - 5) * ((i%64*k+j)*5%13 - 6))
			}
			if v != want {
				t.Fatalf("checked %v: element %d,%d is %g, want %g", checked, i/64, i%64, v, want)
			}
		}
	}
}

// rounding is a product of planes in tf32 with a number added to each column: how its operands lie, and whether there
// is one matrix of B for all planes.
type rounding struct{ alongA, alongB, oneB bool }

// job is a point of the family that a graph of it has for Hopper, on a device of so many multiprocessors.
func (r rounding) job(t testing.TB, sms int, genes map[string]any) kernels.Job {
	t.Helper()
	b, f := r.bundle(t)
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	dev.SMs = sms
	return jobAt(t, b, f, dev, kernels.FP32, genes)
}

// bundle is the problem folder of the graph, and its family for Hopper.
func (r rounding) bundle(t testing.TB) (*templates.Bundle, *kernels.Family) {
	t.Helper()
	const turned = `{"name":"%[1]st","op":"transpose","args":[{"ref":"%[1]s"},{"value":-2},{"value":-1}],"dtype":"fp32",` +
		`"shape":%[2]s},`
	shapeA, shapeB, nodes, left, right := `["batch","m","k"]`, `["batch","k","n"]`, "", "A", "B"
	if !r.alongA {
		nodes, left, shapeA = nodes+fmt.Sprintf(turned, "A", shapeA), "At", `["batch","k","m"]`
	}
	if r.oneB {
		shapeB = `["k","n"]`
	}
	if r.alongB {
		nodes, right = nodes+fmt.Sprintf(turned, "B", shapeB), "Bt"
		shapeB = strings.Replace(shapeB, `"k","n"`, `"n","k"`, 1)
	}
	b := bundleOf(t, []byte(fmt.Sprintf(`{"format":1,"name":"rounded","torch":"2.15.0","tf32":true,
		"dims":[{"name":"batch","value":3},{"name":"m","value":256},{"name":"n","value":256},{"name":"k","value":256}],
		"tensors":[{"name":"A","kind":"input","dtype":"fp32","shape":%s},
			{"name":"B","kind":"input","dtype":"fp32","shape":%s},
			{"name":"bias","kind":"input","dtype":"fp32","shape":["n"]}],
		"nodes":[%s{"name":"y","op":"matmul","args":[{"ref":"%s"},{"ref":"%s"}],"dtype":"fp32","shape":["batch","m","n"]},
			{"name":"C","op":"add","args":[{"ref":"y"},{"ref":"bias"}],"dtype":"fp32","shape":["batch","m","n"]}],
		"outputs":["C"]}`, shapeA, shapeB, nodes, left, right)))
	f, err := b.Family("hopper")
	if err != nil {
		t.Fatal(err)
	}
	return b, f
}

// tf32 rounds to 10 bits behind the leading one, ties away from zero.
func tf32(v float32) float64 {
	return float64(math.Float32frombits((math.Float32bits(v) + 0x1000) &^ 0x1fff))
}

// product is one of a size, with the sums of rounded operands as its truth: numbers have all their 24 bits.
func (r rounding) product(planes, m, n, k int, rng *rand.Rand) *product {
	planesB := planes
	if r.oneB {
		planesB = 1
	}
	p := &product{m: m, n: n, k: k, dtype: kernels.FP32, planes: planes, a: newMemory("A", 4*planes*m*k),
		b: newMemory("B", 4*planesB*n*k), c: newMemory("C", 4*planes*m*n), shapes: map[string][]int{"C": {planes, m, n}},
		more: map[string]*memory{"bias": newMemory("bias", 4*n)}}
	for _, x := range []*memory{p.a, p.b, p.more["bias"]} {
		for i := range view[float32](x) {
			view[float32](x)[i] = (1 + rng.Float32()) * float32(1-2*rng.IntN(2))
		}
		x.readOnly = true
	}
	at := func(x *memory, along bool, plane, lines, line, term int) float64 {
		i := (plane*lines+line)*k + term
		if !along {
			i = (plane*k+term)*lines + line
		}
		return tf32(view[float32](x)[i])
	}
	for i := range planes * m * n {
		plane, row, col := i/n/m, i/n%m, i%n
		sum, scale := float64(view[float32](p.more["bias"])[col]), 2.
		for term := range k {
			v := at(p.a, r.alongA, plane, m, row, term) * at(p.b, r.alongB, plane%planesB, n, col, term)
			sum, scale = sum+v, scale+math.Abs(v)
		}
		p.truth, p.scale = append(p.truth, sum), append(p.scale, scale)
	}
	p.spoil()
	return p
}

// wrong32 is the first output that is off by more than sums in fp32 are, or "". Operands that are cut off or not
// rounded are off by some hundred times as much.
func (p *product) wrong32() string {
	for i, got := range view[float32](p.c) {
		if want := p.truth[i]; !(math.Abs(float64(got)-want) <= math.Ldexp(float64(p.k+2), -24)*p.scale[i]) {
			return fmt.Sprintf("C[%d,%d] = %g, want %g (%d x %d x %d)", i/p.n, i%p.n, got, want, p.m, p.n, p.k)
		}
	}
	return ""
}

// runs multiplies at sizes of planes, rows, columns and terms, and says what the emulator or the results say.
func (r rounding) runs(t *testing.T, prog *program, job *kernels.Job, sizes [][4]int) string {
	t.Helper()
	for i, s := range sizes {
		p := r.product(s[0], s[1], s[2], s[3], rand.New(rand.NewPCG(uint64(i), 5)))
		prog.seed = uint64(i)
		if report := p.run(t, prog, job); report.Kind != "" {
			return fmt.Sprintf("%v: %+v", s, report)
		} else if wrong := p.wrong32(); wrong != "" {
			return fmt.Sprintf("%v: %s", s, wrong)
		}
	}
	return ""
}

// TestRounded runs points of the family that rounds operands to tf32, in all orders of either, at sizes that are no
// whole tiles, slabs or words, with every access watched. The last size is for the plain kernel, which rounds nothing.
func TestRounded(t *testing.T) {
	needCompiler(t)
	sizes := [][4]int{{2, 70, 72, 40}, {1, 130, 132, 97}, {3, 64, 64, 64}, {2, 1, 4, 1}, {1, 200, 68, 6}}
	for _, c := range []struct {
		rounding
		sms   int
		genes map[string]any
	}{
		{rounding{true, true, false}, 4, map[string]any{"block_m": 128, "consumers": 2, "cluster_m": 2, "cluster_n": 2,
			"stages": 3, "epilogue": "tensor", "block_k": 64}},
		{rounding{true, false, true}, 2, map[string]any{"block_n": 128, "consumers": 2, "schedule": "ping_pong",
			"blocks": "persistent", "group_m": 2, "stages": 3}},
		{rounding{false, true, false}, 2, map[string]any{"block_m": 128, "block_n": 192, "blocks": "persistent",
			"cluster_n": 2, "epilogue": "tensor", "store_buffers": 2, "consumers": 2}},
		{rounding{false, false, true}, 132, map[string]any{"block_m": 256, "consumers": 2, "block_n": 64, "stages": 2}},
		{rounding{false, false, false}, 1, map[string]any{"block_n": 256, "blocks": "persistent", "stages": 4,
			"cluster_m": 2, "epilogue": "tensor", "group_m": 4, "consumers": 2, "schedule": "ping_pong"}},
	} {
		job := c.job(t, c.sms, c.genes)
		t.Run(fmt.Sprintf("%+v", c.rounding), func(t *testing.T) {
			for _, checked := range []bool{false, true} {
				if what := c.runs(t, build(t, job.Source, checked), &job, sizes); what != "" {
					t.Errorf("checked %v: %s", checked, what)
				}
			}
		})
	}
	job := rounding{true, false, false}.job(t, 4, nil)
	p := rounding{true, false, false}.product(2, 33, 35, 21, rand.New(rand.NewPCG(1, 5)))
	if r := p.run(t, build(t, job.Source, true), &job); r.Kind != "" {
		t.Fatalf("plain: %+v", r)
	}
	if p.wrong32() == "" {
		t.Error("the plain kernel's operands are rounded, expected strict fp32")
	}
	for i, got := range view[float32](p.c) {
		if !(math.Abs(float64(got)-p.truth[i]) <= math.Ldexp(p.scale[i], -10)) {
			t.Fatalf("plain: number %d is %g, want %g", i, got, p.truth[i])
		}
	}
}

// TestPlantedInRounded plants bugs in a point of the family. The first, which is none, comes out right.
func TestPlantedInRounded(t *testing.T) {
	needCompiler(t)
	r := rounding{true, false, false}
	job := r.job(t, 2, map[string]any{"block_m": 128, "block_n": 64, "consumers": 2, "cluster_m": 2,
		"blocks": "persistent", "epilogue": "tensor", "stages": 3, "block_k": 64})
	for _, c := range []struct{ name, old, new, want string }{
		{"none", "", "", ""},
		{"operands cut off", "make_float4(to_tf32(x), to_tf32(y), to_tf32(z), to_tf32(w))", "make_float4(x, y, z, w)",
			"want"},
		{"one of four not rounded", "to_tf32(w))", "w)", "want"},
		{"no swizzle", "swizzle<8>(line, chunk) * 4) = rounded4", "chunk * 4) = rounded4", "want"},
		{"terms of the next line", "term < terms ? *", "true ? *", "out_of_bounds"},
		{"steps too far apart", "step % 4 * 2", "step % 4 * 4", "misaligned"},
		{"slabs too close", "step / 4 * (LINES * 8)", "step / 4 * (LINES * 4)", "want"},
		{"sums of the tile before", "multiply_stage<false>", "multiply_stage<true>", "want"},
		{"to this block alone", "else bulk_load_multicast(to, at, SHARE * sizeof(Code), full(slot), blocks)",
			"else bulk_load<CACHED>(to, at, SHARE * sizeof(Code), full(slot))", "deadlock"},
		{"the other block not told", "mbarrier_arrive_at(empty(slot), lane)", "mbarrier_arrive_at(empty(slot), here)",
			"race"},
		{"given back before its products are done", "wgmma_wait<1>();\n        release(before);",
			"release(before);\n        wgmma_wait<1>();", "race"},
		{"numbers not exchanged behind a barrier", "__syncthreads();\n        #pragma unroll", "#pragma unroll", "race"},
	} {
		t.Run(c.name, func(t *testing.T) {
			source := strings.Replace(job.Source, c.old, c.new, 1)
			if source == job.Source && c.old != "" {
				t.Fatalf("the source has no %q", c.old)
			}
			what := r.runs(t, build(t, source, true), &job, [][4]int{{2, 300, 136, 100}})
			if (c.want == "") != (what == "") || !strings.Contains(what, c.want) {
				t.Errorf("%s: want %q", what, c.want)
			}
		})
	}
}
