package emu

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"darwarp/templates"
)

// failures runs a kernel that writes the lines of its failed checks.
func failures(t *testing.T, p *program, entry string, grid, block dim, smem int, more ...any) {
	t.Helper()
	failed := newMemory("failed", 4*64)
	p.good(t, entry, grid, block, smem, append([]any{failed}, more...)...)
	n := view[int32](failed)[0]
	if n == 0 {
		return
	}
	lines := slices.Clone(view[int32](failed)[1 : 1+min(n, 63)])
	slices.Sort(lines)
	t.Errorf("%s: %d failed checks, at lines %v", entry, n, slices.Compact(lines))
}

// TestDevice runs the kernels that check the emulation from within, under several orders.
func TestDevice(t *testing.T) {
	warp, memo := testdata(t, "warp.cu"), testdata(t, "memory.cu")
	for _, checked := range []bool{false, true} {
		p, q := build(t, warp, checked), build(t, memo, checked)
		for seed := range uint64(5) {
			t.Run(fmt.Sprintf("checked=%v seed=%d", checked, seed), func(t *testing.T) {
				p.seed, q.seed = seed, seed
				p.races = false // of reading poison on purpose, and of the lock
				seen := newMemory("seen", 4*12*24)
				failures(t, p, "places", dim{2, 3, 2}, dim{4, 3, 2}, 0, seen)
				for i, n := range view[uint32](seen) {
					if n != 1 {
						t.Fatalf("thread %d of block %d ran %d times", i%24, i/24, n)
					}
				}
				failures(t, p, "barriers", x(3), x(96), 4*96)
				failures(t, p, "warps", x(2), x(64), 0)
				failures(t, p, "lock", x(2), x(64), 0)
				atomics(t, p)
				q.races = false
				from := newMemory("from", 16*32)
				for i := range view[uint32](from) {
					view[uint32](from)[i] = uint32(i + 1)
				}
				failures(t, q, "copies", x(1), x(32), 0, from)
				q.races = checked
				failures(t, q, "small_copies", x(1), x(32), 0, from)
				failures(t, q, "fragments", x(1), x(32), 0)
				failures(t, q, "products", x(1), x(32), 0)
				failures(t, q, "portable_products", x(1), x(32), 0)
				failures(t, q, "chunks", x(1), x(1), 0)
				failures(t, q, "hints", x(1), x(1), 0)
			})
		}
	}
}

func atomics(t *testing.T, p *program) {
	t.Helper()
	word, wide, real, big := newMemory("word", 4*16), newMemory("wide", 16), newMemory("real", 4), newMemory("big", 8)
	w := view[uint32](word)
	w[2], w[4], w[6] = 5, 1000, math.MaxUint32
	failures(t, p, "atomics", x(8), x(256), 0, word, wide, real, big)
	xor := uint32(0)
	for i := range uint32(2048) {
		xor ^= i
	}
	want := map[int]uint32{0: 2048, 1: uint32(1<<32 - 2048), 2: uint32(1<<32 - 7), 3: 2040, 4: 3, 5: 2050, 6: 1 << 31,
		7: math.MaxUint32, 8: xor, 9: 2048 % 10, 10: (10 - 2048%10) % 10, 11: 4096, 13: 0x6800, 14: 0, 15: 0}
	for i, v := range want {
		if got := w[i]; got != v && !(v == 0 && got&0x7fff7fff == 0) { // either zero
			t.Errorf("atomics: word %d is %#x, want %#x", i, got, v)
		}
	}
	if w[12] >= 2048 || view[uint64](wide)[0] != 2048<<33 || view[uint64](wide)[1] != 2047<<32 ||
		view[float32](real)[0] != 1024 || view[float64](big)[0] != 512 {
		t.Errorf("atomics: %d %#x %g %g", w[12], view[uint64](wide), view[float32](real)[0], view[float64](big)[0])
	}
}

// TestSeed: the same seed gives the same order of threads and blocks, another one another.
func TestSeed(t *testing.T) {
	p := build(t, testdata(t, "warp.cu"), false)
	p.threads(t, 1)
	orders := map[string]bool{}
	run := func(seed uint64) string {
		p.seed = seed
		turn, blocks := newMemory("turn", 4*64*8), newMemory("blocks", 4*9)
		p.good(t, "order", x(8), x(64), 0, turn, blocks)
		return fmt.Sprint(view[int32](turn), view[int32](blocks))
	}
	for seed := range uint64(8) {
		first := run(seed)
		if again := run(seed); again != first {
			t.Errorf("seed %d gives two orders:\n%s\n%s", seed, first, again)
		}
		orders[first] = true
	}
	if len(orders) != 8 {
		t.Errorf("8 seeds give %d orders", len(orders))
	}
}

// function finds the names of the functions that a header defines or declares.
var function = regexp.MustCompile(`(?m)^(?:template ?<[^>]*>\s*)?(?:(?:__device__|__forceinline__|inline|constexpr) ` +
	`)+[\w:]+[ *&]+(\w+)(?:<\w+>)?\(`)

func functions(text []byte) []string {
	var names []string
	for _, m := range function.FindAllSubmatch(text, -1) {
		names = append(names, string(m[1]))
	}
	sort.Strings(names)
	return slices.Compact(names)
}

// TestCounterparts: what the device library says in PTX, the emulation says in C++, function by function.
func TestCounterparts(t *testing.T) {
	library, ours := templates.Include(), Files()
	if got := functions(library["darwarp/vec.cuh"]); !slices.Contains(got, "load8") || !slices.Contains(got, "store8") {
		t.Fatalf("the functions of vec.cuh are not found: %v", got)
	}
	replaced := 0
	for name, text := range library {
		if ours[name] == nil {
			if strings.Contains(string(text), "asm") {
				t.Errorf("%s has PTX and no counterpart", name)
			}
			continue
		}
		replaced++
		have := functions(ours[name])
		for _, f := range functions(text) {
			if !slices.Contains(have, f) {
				t.Errorf("%s: no counterpart of %s", name, f)
			}
		}
	}
	if replaced < 4 {
		t.Errorf("only %d headers of the device library are replaced", replaced)
	}
}

// TestUnsupported: what the emulation lacks is refused by the compiler, in words that can be recognised and
// with the line.
func TestUnsupported(t *testing.T) {
	c := needCompiler(t)
	for name, line := range map[string]string{
		"asm":     `asm volatile("bar.sync 0;");`,
		"__asm__": `__asm__("membar.gl;");`,
	} {
		_, err := c.compile("extern \"C\" __global__ void f() {\n    "+line+"\n}\n", t.TempDir(), false)
		if err == nil || !strings.Contains(err.Error(), `kernel.cu:2:`) || !strings.Contains(err.Error(), "poisoned") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, source := range map[string]string{
		"intrinsic": "extern \"C\" __global__ void f() {\n    __nv_isClusterShared(0);\n}\n",
		"header":    "#include <cooperative_groups.h>\nextern \"C\" __global__ void f() {}\n",
	} {
		if _, err := c.compile(source, t.TempDir(), false); err == nil {
			t.Errorf("%s: compiled", name)
		}
	}
}

func TestDynamicShared(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"extern __shared__ __align__(128) unsigned char shared_memory[];", "[shared_memory]"},
		{"extern __shared__ float tile[];\nextern __shared__ int tile[];", "[tile]"},
		{"extern  __shared__\n  __half  b [ ];void f(){ extern __shared__ alignas(16) char a[]; }", "[a b]"},
		{"__shared__ float a[4]; extern int b[];", "[]"},
		{"// extern __shared__ float a[];\n/* extern __shared__ float b[]; */", "[]"},
	} {
		if got := fmt.Sprint(DynamicShared(c.source)); got != c.want {
			t.Errorf("%q: %s, want %s", c.source, got, c.want)
		}
	}
}

// TestSmallFloats: every value of the 16-bit types and every middle between two of them is converted rightly, and
// arithmetic on them is correctly rounded. DARWARP_SAMPLE is the number of partners that each value meets.
func TestSmallFloats(t *testing.T) {
	p := build(t, testdata(t, "small.cu"), false)
	failures(t, p, "all_values", x(256), x(256), 0, sample(t, 24))
	failures(t, p, "names", x(1), x(1), 0)
	failures(t, p, "intrinsics", x(1), x(1), 16)
}

// intrinsic finds the names of CUDA's functions where a header of the emulation defines them.
var intrinsic = regexp.MustCompile(`(?m)^(?:template ?<[^>]*> ?)?inline [^(;{}]*?\b(__[a-z]\w*|` +
	`atomic[A-Z][a-zA-Z]*)\(|^DW_ATOMIC(?:_BITS)?\((\w+),`)

// TestEveryFunctionIsTried: no function of CUDA is emulated that no kernel of the tests calls.
func TestEveryFunctionIsTried(t *testing.T) {
	kernels, found := "", 0
	for _, name := range []string{"warp.cu", "memory.cu", "small.cu", "bugs.cu", "cluster.cu", "bulk.cu",
		"tensor.cu", "wgmma.cu"} {
		kernels += testdata(t, name)
	}
	files := Files()
	for _, name := range []string{"warp.h", "atomics.h", "block.h", "memory.h", "math.h", "fast.h",
		"small_float_functions.inc"} {
		for _, m := range intrinsic.FindAllStringSubmatch(strings.ReplaceAll(string(files["dw/"+name]),
			"__attribute__((always_inline)) ", ""), -1) {
			f := m[1] + m[2]
			found++
			if f == "__trap" { // assert calls it
				f = "assert"
			}
			if !regexp.MustCompile(`\b` + f + `\(`).MatchString(kernels) {
				t.Errorf("%s: no test kernel calls %s", name, f)
			}
		}
	}
	for name, text := range files { // and of the device library's, no counterpart
		if !strings.HasPrefix(name, "darwarp/") {
			continue
		}
		for _, f := range functions(text) {
			found++
			if !regexp.MustCompile(`\b` + f + `(<[^>]*>)?\(`).MatchString(kernels) {
				t.Errorf("%s: no test kernel calls %s", name, f)
			}
		}
	}
	if found < 150 {
		t.Errorf("only %d functions are found", found)
	}
}
