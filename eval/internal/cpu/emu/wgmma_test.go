package emu

import (
	"fmt"
	"strings"
	"testing"
)

// wgmmaProduct is C = 1 + A * B^T of small whole numbers, which every sum holds exactly.
type wgmmaProduct struct {
	m, n, k int
	a, b    tensorMap
	c       *memory
	want    []float32
}

func newWgmmaProduct(m, n, k int, bf16 bool) *wgmmaProduct {
	a, b := newMemory("A", 2*m*k), newMemory("B", 2*n*k)
	for i := range m * k {
		put(a.bytes, i, half(i*7%11-5, bf16))
	}
	for i := range n * k {
		put(b.bytes, i, half(i*5%13-6, bf16))
	}
	a.readOnly, b.readOnly = true, true
	tile := func(of *memory, rows int) tensorMap {
		return tensorMap{of, []int{rows, k}, []int{min(rows, 64), 64}, 2, 128}
	}
	p := &wgmmaProduct{m: m, n: n, k: k, a: tile(a, m), b: tile(b, n), c: newMemory("C", 4*m*n)}
	for i := range m * n {
		p.want = append(p.want, 1+p.sum(i/n, i%n, k))
	}
	return p
}

// sum is an element of A * B^T over the first k.
func (p *wgmmaProduct) sum(row, column, k int) (sum float32) {
	for i := range k {
		sum += float32(((row*p.k+i)*7%11 - 5) * ((column*p.k+i)*5%13 - 6))
	}
	return sum
}

func (p *wgmmaProduct) run(t testing.TB, prog *program, kernel string) (report, string) {
	t.Helper()
	clear(p.c.bytes)
	r := prog.launch(t, kernel, x(1), x(160), 2*(p.m+p.n)*128, p.a, p.b, p.c, p.k/64)
	for i, v := range view[float32](p.c) {
		if want := p.want[i]; v != want {
			return r, fmt.Sprintf("element %d,%d is %g, want %g", i/p.n, i%p.n, v, want)
		}
	}
	return r, ""
}

// TestWgmma: products by tensor map and wgmma are right, under several orders, and with every access watched.
func TestWgmma(t *testing.T) {
	for _, checked := range []bool{false, true} {
		prog := build(t, testdata(t, "wgmma.cu"), checked)
		for _, kind := range []string{"half", "bf16"} {
			for _, n := range []int{64, 256} {
				p := newWgmmaProduct(64, n, 320, kind == "bf16")
				for prog.seed = range 4 {
					if r, wrong := p.run(t, prog, fmt.Sprintf("product_%s_%d", kind, n)); r.Kind != "" || wrong != "" {
						t.Fatalf("checked %v, %s, %d columns: %+v %s", checked, kind, n, r, wrong)
					}
				}
			}
		}
	}
}

// TestWarpgroups: two of them share an operand, each with two tiles of sums.
func TestWarpgroups(t *testing.T) {
	for _, checked := range []bool{false, true} {
		prog := build(t, testdata(t, "wgmma.cu"), checked)
		for prog.seed = range 4 {
			p := newWgmmaProduct(128, 8, 64, false)
			c := newMemory("C", 2*4*128*8)
			prog.good(t, "two_warpgroups", x(1), x(256), (128+8)*128, p.a, p.b, c)
			for i, v := range view[float32](c) {
				if want := p.sum(i/8%128, i%8, 64-i/1024*32); v != want {
					t.Fatalf("checked %v: tile %d, element %d,%d is %g, want %g", checked, i/1024, i/8%128, i%8, v, want)
				}
			}
			prog.good(t, "written", x(1), x(128), 16384, newMemory("C", 4*64*64))
		}
	}
}

// TestWgmmaOfRows: weights in registers times rows of a tensor of four dimensions, of which the map sees the last 20 as
// zeros.
func TestWgmmaOfRows(t *testing.T) {
	const known = 20
	for _, checked := range []bool{false, true} {
		prog := build(t, testdata(t, "wgmma.cu"), checked)
		for _, kind := range []string{"half", "bf16"} {
			a, b, c := newMemory("A", 2*64*32), newMemory("B", 2*known*128), newMemory("C", 4*64*128)
			for i := range 64 * 32 {
				put(a.bytes, i, half(i*7%11-5, kind == "bf16"))
			}
			for i := range known * 128 {
				put(b.bytes, i, half(i*5%13-6, kind == "bf16"))
			}
			prog.good(t, "of_rows_"+kind, x(1), x(128), 8192,
				tensorMap{b, []int{1, 1, known, 128}, []int{1, 1, 32, 64}, 2, 128}, a, c)
			for i, v := range view[float32](c) {
				want := float32(1)
				for k := range known {
					want += float32(((i/128*32+k)*7%11 - 5) * ((k*128+i%128)*5%13 - 6))
				}
				if v != want {
					t.Fatalf("checked %v, %s: element %d,%d is %g, want %g", checked, kind, i/128, i%128, v, want)
				}
			}
		}
	}
}

// TestWgmmaOrders: one operand has a row for each k, the other has its rows along k.
func TestWgmmaOrders(t *testing.T) {
	const k, n = 32, 64
	for _, checked := range []bool{false, true} {
		prog := build(t, testdata(t, "wgmma.cu"), checked)
		for _, side := range []string{"a", "b"} {
			rows, along, c := newMemory("rows", 2*k*n), newMemory("along", 2*n*n), newMemory("C", 4*n*n)
			for i := range k * n {
				put(rows.bytes, i, half(i*5%13-6, false))
			}
			for i := range n * n { // of 64 along k the first 32 are multiplied
				put(along.bytes, i, half(i*7%11-5, false))
			}
			prog.good(t, "orders_rows_of_"+side, x(1), x(128), 16384, tensorMap{rows, []int{k, n}, []int{k, n}, 2, 128},
				tensorMap{along, []int{n, n}, []int{n, n}, 2, 128}, c)
			for i, v := range view[float32](c) {
				row, column := i/n, i%n
				if side == "b" {
					row, column = column, row
				}
				want := float32(0)
				for j := range k {
					want += float32(((j*n+row)*5%13 - 6) * ((column*n+j)*7%11 - 5))
				}
				if v != want {
					t.Fatalf("checked %v, rows of %s: element %d,%d is %g, want %g", checked, side, i/n, i%n, v, want)
				}
			}
		}
	}
}

func TestStmatrix(t *testing.T) {
	for _, checked := range []bool{false, true} {
		y := newMemory("y", 4*128)
		build(t, testdata(t, "wgmma.cu"), checked).good(t, "matrices", x(1), x(32), 512, y)
		for i, v := range view[uint32](y) {
			if want := uint32(i/32*100 + i%32); v != want {
				t.Fatalf("checked %v: word %d is %d, want %d", checked, i, v, want)
			}
		}
		y = newMemory("y", 2*256)
		build(t, testdata(t, "wgmma.cu"), checked).good(t, "transposed_matrices", x(1), x(32), 512, y)
		for i, v := range view[uint16](y) {
			if want := uint16(i/64*100 + i%8*10 + i/8%8); v != want {
				t.Fatalf("checked %v: element %d is %d, want %d", checked, i, v, want)
			}
		}
	}
}

// TestPlantedInWgmma plants bugs in a product. They are found with checks, or spoil the sums where the report is not
// about memory.
func TestPlantedInWgmma(t *testing.T) {
	source := testdata(t, "wgmma.cu")
	const issue = "for (int k = 0; k < 4; ++k) wgmma_m64k16<T, N>(sums, at + 2 * k, bt + 2 * k, true);"
	for _, c := range []struct{ name, old, new, kind, message string }{
		{"tiles not awaited", "mbarrier_wait(&full[i % 2], i / 2 % 2);", "", "race", "has not waited for|no barrier between"},
		{"one warp does not await tiles", "mbarrier_wait(&full[i % 2], i / 2 % 2);",
			"if (threadIdx.x / 32 != 2) mbarrier_wait(&full[i % 2], i / 2 % 2);", "race",
			"has not waited for|no barrier between"},
		{"the wrong phase", "mbarrier_wait(&full[i % 2], i / 2 % 2);", "mbarrier_wait(&full[i % 2], i / 2 % 2 ^ 1);",
			"race|deadlock", ""},
		{"given back too early", "if (i > 0 && threadIdx.x == 0) mbarrier_arrive(&empty[(i - 1) % 2]);",
			"if (threadIdx.x == 0) mbarrier_arrive(&empty[i % 2]);", "race|deadlock",
			"has not waited for|no barrier between|does not end"},
		{"given back by a thread that has not waited", "wgmma_wait<1>();\n        if (i > 0 && threadIdx.x == 0)",
			"if (threadIdx.x >= 32) wgmma_wait<1>();\n        if (i > 0 && threadIdx.x == 0)", "race",
			"has not waited for|no barrier between"},
		{"sums not awaited", "wgmma_wait<0>();\n    write<N>(c, sums);", "write<N>(c, sums);", "race",
			"ends and has not waited for a wgmma"},
		{"sums read too early", "wgmma_wait<0>();\n    write<N>(c, sums);",
			"write<N>(c, sums);\n    wgmma_wait<0>();", "", ""},
		{"sums changed too early", "wgmma_wait<1>();\n", "wgmma_wait<1>();\n        sums[3] = 0;\n", "race",
			"changes the sums of a wgmma that it has not waited for"},
		{"not committed", "wgmma_commit();\n        wgmma_wait<1>();", "wgmma_wait<1>();", "race|deadlock", ""},
		{"no fence", "wgmma_fence();\n        " + issue, issue, "race",
			"sums that are new or changed, and no wgmma_fence came before"},
		{"one warp missing", issue, "if (threadIdx.x / 32 != 1) " + issue, "deadlock|race", ""},
		{"one lane missing", issue, "if (threadIdx.x != 77) " + issue, "divergence",
			"of one warp wait at different warp operations"},
		{"one warp elsewhere", issue, issue[:len(issue)-len("at + 2 * k, bt + 2 * k, true);")] + "at + 2 * (k ^ " +
			"threadIdx.x / 32 / 3), bt + 2 * k, true);", "divergence", "of one warpgroup ask for different wgmmas"},
		{"beyond the operand", "at + 2 * k, bt + 2 * k, true", "at + 2 * k, bt + 2 * k + 8192 / 16 * 2, true",
			"out_of_bounds|race|uninitialised", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			planted := strings.Replace(source, c.old, c.new, 1)
			if planted == source {
				t.Fatalf("wgmma.cu has no %q", c.old)
			}
			checked, fast, spoilt := build(t, planted, true), build(t, planted, false), 0
			p := newWgmmaProduct(64, 64, 320, false)
			for checked.seed = range 6 {
				r, wrong := p.run(t, checked, "product_half_64")
				if c.kind == "" && (r.Kind != "" || wrong == "") || c.kind != "" &&
					(r.Kind == "" || !strings.Contains(c.kind, r.Kind) || !strings.HasSuffix(r.File, "kernel.cu")) {
					t.Errorf("%+v %s, want %q", r, wrong, c.kind)
				}
				if !anyOf(r.Message, c.message) {
					t.Errorf("%q, want %q", r.Message, c.message)
				}
				if checked.seed == 0 {
					t.Logf("%s, line %d: %s", r.Kind, r.Line, r.Message)
				}
			}
			for fast.seed = range 6 {
				if r, wrong := p.run(t, fast, "product_half_64"); r.Kind != "" || wrong != "" {
					spoilt++
				}
			}
			// others have
			if t.Logf("without checks under %d of 6 orders", spoilt); spoilt == 0 && c.name != "one warp does not await tiles" {
				t.Error("not found without checks")
			}
		})
	}
	for message, c := range map[string][2]string{
		"writes with no async_fence after it": {"async_fence();\n", "\n"},
		"multiplies with wgmma and has not waited for": {"wgmma_wait<0>();\n    write<64>",
			"__syncthreads(); memory[threadIdx.x] = 0;  // <- written\n    wgmma_wait<0>(); write<64>"},
		"does not begin at a multiple of 1024": {"wgmma_descriptor(memory + 8192);",
			"wgmma_descriptor(memory + 8192 + 128);"},
		"a descriptor that wgmma_descriptor did not make": {"wgmma_descriptor(memory + 8192);",
			"wgmma_descriptor(memory + 8192) & ~(1ull << 62);"},
		"is in a warpgroup of less than 128 threads": {"threadIdx.x; i < 64 * 64", "threadIdx.x; i < 0 * 64"},
	} {
		planted, block := strings.Replace(source, c[0], c[1], 1), 128
		if strings.Contains(c[1], "0 * 64") {
			block = 96
		}
		r := build(t, planted, true).launch(t, "written", x(1), x(block), 16384, newMemory("C", 4*64*64))
		if !strings.Contains(r.Message, message) || planted == source {
			t.Errorf("%+v, want %q", r, message)
		}
	}
}

// BenchmarkWgmma is the time of a product of 64 x 256 x 1024, which is 64 multiplications of a warpgroup, on one OS
// thread.
func BenchmarkWgmma(b *testing.B) {
	p := newWgmmaProduct(64, 256, 1024, false)
	for _, mode := range []string{"fast", "races"} {
		b.Run(mode, func(b *testing.B) {
			prog := build(b, testdata(b, "wgmma.cu"), mode != "fast")
			for b.Loop() {
				r := prog.launch(b, "product_half_256", x(1), x(160), 2*(p.m+p.n)*128, p.a, p.b, p.c, p.k/64)
				if r.Kind != "" {
					b.Fatalf("%+v", r)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/64, "us/wgmma")
		})
	}
}

// anyOf says whether a text holds one of some texts, which stand between bars.
func anyOf(text, some string) bool {
	for s := range strings.SplitSeq(some, "|") {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}
