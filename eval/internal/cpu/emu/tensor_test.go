package emu

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unsafe"
)

// tensorMap is an argument of a launch: the C struct dw_tensor_map over a buffer.
type tensorMap struct {
	of      *memory
	shape   []int
	box     []int
	element int // bytes
	swizzle int
}

// described is the C struct, kept by whoever launches.
func (m tensorMap) described() *cTensorMap {
	c := &cTensorMap{name: unsafe.StringData("tiles\x00"), base: uintptr(unsafe.Pointer(unsafe.SliceData(m.of.bytes))),
		rank: uint32(len(m.shape)), element: uint32(m.element), swizzle: uint32(m.swizzle)}
	for i := range m.shape {
		c.shape[i], c.box[i] = uint64(m.shape[i]), uint32(m.box[i])
	}
	return c
}

type cTensorMap struct {
	name                   *byte
	base                   uintptr
	shape                  [5]uint64
	box                    [5]uint32
	rank, element, swizzle uint32
}

func (m tensorMap) bytes() int { return m.box[0] * m.box[1] * m.element }

// places calls f for the elements of the box at a row and a column: where each is in shared memory, by what NVIDIA says
// of swizzling, and where in the tensor; -1 outside of it.
func (m tensorMap) places(row, column int, f func(shared, global int)) {
	for r := range m.box[0] {
		for c := range m.box[1] {
			at := (r*m.box[1] + c) * m.element
			switch m.swizzle {
			case 32:
				at ^= at >> 7 & 1 << 4
			case 64:
				at ^= at >> 7 & 3 << 4
			case 128:
				at ^= at >> 7 & 7 << 4
			}
			y, x, global := row+r, column+c, -1
			if y >= 0 && y < m.shape[0] && x >= 0 && x < m.shape[1] {
				global = (y*m.shape[1] + x) * m.element
			}
			f(at, global)
		}
	}
}

var boxes = []struct{ rows, columns, box0, box1, element, swizzle int }{
	{20, 16, 8, 8, 4, 0}, {20, 16, 16, 4, 4, 0}, {20, 16, 16, 8, 4, 32}, {20, 32, 16, 16, 4, 64}, {20, 40, 16, 32, 4, 128},
	{33, 72, 16, 64, 2, 128}, {9, 24, 8, 32, 2, 64}, {9, 24, 8, 16, 2, 32},
}

var corners = [][2]int{{0, 0}, {1, 8}, {3, -3}, {-2, 1}, {15, 17}, {40, 0}, {0, 100}, {-20, -50}}

// TestLoadBox: boxes of a tensor lie in shared memory as the swizzle says, with zeros for what is outside of the
// tensor.
func TestLoadBox(t *testing.T) {
	for _, checked := range []bool{false, true} {
		p := build(t, testdata(t, "tensor.cu"), checked)
		for _, b := range boxes {
			m := tensorMap{numbers("x", (b.rows*b.columns*b.element+3)/4), []int{b.rows, b.columns}, []int{b.box0, b.box1},
				b.element, b.swizzle}
			for i, c := range corners {
				p.seed = uint64(i)
				out := newMemory("y", m.bytes())
				p.good(t, "load_box", x(1), x(64), m.bytes(), m, out, c[0], c[1], m.bytes())
				m.places(c[0], c[1], func(shared, global int) {
					want := make([]byte, b.element)
					if global >= 0 {
						want = m.of.bytes[global : global+b.element]
					}
					if got := out.bytes[shared : shared+b.element]; string(got) != string(want) {
						t.Fatalf("checked %v, %+v at %v: byte %d is %v, want %v of byte %d", checked, b, c, shared, got, want, global)
					}
				})
			}
		}
	}
}

// TestStoreBox: a stored box goes where it belongs, and nowhere else.
func TestStoreBox(t *testing.T) {
	for _, checked := range []bool{false, true} {
		p := build(t, testdata(t, "tensor.cu"), checked)
		for _, b := range boxes {
			for _, c := range corners {
				m := tensorMap{newMemory("y", b.rows*b.columns*b.element), []int{b.rows, b.columns}, []int{b.box0, b.box1},
					b.element, b.swizzle}
				in, want := numbers("x", m.bytes()/4), make([]byte, len(m.of.bytes))
				p.good(t, "store_box", x(1), x(64), m.bytes(), m, in, c[0], c[1], m.bytes())
				m.places(c[0], c[1], func(shared, global int) {
					if global >= 0 {
						copy(want[global:], in.bytes[shared:shared+b.element])
					}
				})
				if string(m.of.bytes) != string(want) {
					t.Fatalf("checked %v, %+v at %v: %v, want %v", checked, b, c, m.of.bytes, want)
				}
			}
		}
	}
}

// sharedRows runs two clusters of two blocks that share what they load, and says what is wrong with the sums, or "".
func sharedRows(t *testing.T, p *program, kernel string) (report, string) {
	t.Helper()
	const steps = 7
	p.cluster = dim{2, 1, 1}
	in, out := numbers("x", steps*16*32), newMemory("y", 4*4*steps*32)
	var from any = tensorMap{in, []int{steps * 16, 32}, []int{8, 32}, 4, 0}
	if kernel == "shared_runs" {
		from = in
	}
	r := p.launch(t, kernel, x(4), x(64), 4096, from, out, steps)
	for i, v := range view[int32](out) {
		want, step := int32(0), i/32%steps
		for row := range 16 {
			want += int32(row+1) * int32((step*16+row)*32+i%32)
		}
		if v != want {
			return r, fmt.Sprintf("sum %d is %d, want %d", i, v, want)
		}
	}
	return r, ""
}

// TestMulticast: blocks of a cluster load for each other, under several orders.
func TestMulticast(t *testing.T) {
	for _, checked := range []bool{false, true} {
		p := build(t, testdata(t, "tensor.cu"), checked)
		for p.seed = range 12 {
			for _, kernel := range []string{"shared_rows", "shared_runs"} {
				if r, wrong := sharedRows(t, p, kernel); r.Kind != "" || wrong != "" {
					t.Fatalf("checked %v, seed %d, %s: %+v %s", checked, p.seed, kernel, r, wrong)
				}
			}
		}
	}
}

// TestPlantedInMulticast plants bugs in what two blocks do for each other. Without checks they spoil the sums under
// most orders.
func TestPlantedInMulticast(t *testing.T) {
	source := testdata(t, "tensor.cu")
	for _, c := range []struct{ name, old, new, kind string }{
		{"rows not awaited", "mbarrier_wait(&full[i % 2], i / 2 % 2);", "", "race"},
		{"wrong phase", "mbarrier_wait(&full[i % 2], i / 2 % 2);", "mbarrier_wait(&full[i % 2], i / 2 % 2 ^ 1);",
			"race|deadlock"},
		{"places not awaited", "mbarrier_wait(&empty[i % 2], i / 2 % 2 ^ 1);", "", "race|trap"},
		{"the other block's readers not awaited", "mbarrier_arrive_at(&empty[i % 2], lane)",
			"mbarrier_arrive_at(&empty[i % 2], rank)", "race"},
		{"places never given back", "__syncwarp();\n            if (lane < 2) mbarrier_arrive_at(&empty[i % 2], lane);",
			"", "deadlock"},
		{"lanes not awaited", "__syncwarp();\n            if", "if", "race"},
		{"half of the bytes expected", "mbarrier_expect(&full[i % 2], 2048)", "mbarrier_expect(&full[i % 2], 1024)",
			"race|deadlock"},
		{"barriers not shown", "cluster_arrive_only();\n    cluster_wait();\n    if",
			"__syncthreads();\n    if", "race|trap"},
		{"barriers known to nobody", "mbarrier_fence();\n    }\n    cluster_arrive_only",
			"}\n    cluster_arrive_only", "race"},
		{"ends before the other block",
			"for (int i = steps; i < steps + 2; ++i) mbarrier_wait(&empty[i % 2], i / 2 % 2 ^ 1);  // the end", "", "race"},
		{"a barrier that waits for nothing", "for (int i = steps; i < steps + 2; ++i) mbarrier_wait(&empty[i % 2], i / 2 % " +
			"2 ^ 1);  // the end", "cluster_arrive_only(), cluster_wait();", "race"},
	} {
		t.Run(c.name, func(t *testing.T) {
			planted := strings.Replace(source, c.old, c.new, 1)
			if planted == source {
				t.Fatalf("tensor.cu has no %q", c.old)
			}
			for _, checked := range []bool{true, false} {
				p, found := build(t, planted, checked), 0
				for p.seed = range 12 {
					r, wrong := sharedRows(t, p, []string{"shared_rows", "shared_runs"}[p.seed%2])
					if r.Kind != "" && !strings.Contains(c.kind+"|trap|deadlock", r.Kind) {
						t.Fatalf("checked %v, seed %d: %+v, want %s", checked, p.seed, r, c.kind)
					}
					if r.Kind != "" || !checked && wrong != "" {
						found++
					}
				}
				if found < 9 || checked && found < 12 {
					t.Errorf("checked %v: found under %d of 12 orders", checked, found)
				}
			}
		})
	}
}

// TestTensorBugs: every planted bug is found, whatever the order, with its lines and threads.
func TestTensorBugs(t *testing.T) {
	source := testdata(t, "tensor.cu")
	p := build(t, source, true)
	for _, c := range []struct {
		kernel, kind string
		threads      int
		message      string
	}{
		{"no_wait", "race", 2, "fills with a bulk copy and has not waited for"},
		{"too_few_bytes", "deadlock", 1, "1 of 1 have arrived, and 16 bytes have come that nobody announced"},
		{"odd_address", "misaligned", 1, "by tensor map tiles: the address in shared memory must be a multiple of 128"},
		{"past_shared", "out_of_bounds", 1,
			"fills with a bulk copy 1024 bytes up to 128 past the end of the block's 4096 bytes"},
		{"no_such_block", "out_of_bounds", 1, "block 1 of its cluster, which has no such block"},
		{"no_such_block_of_runs", "out_of_bounds", 1, "block 1 of its cluster, which has no such block"},
		{"far_arrival", "out_of_bounds", 1, "block 1 of its cluster, which has no such block"},
		{"no_store_fence", "race", 2, "writes with no async_fence after it"},
		{"overtaken", "race", 2, "stores with a bulk copy and has not waited for"},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			for p.seed = range 6 {
				m := tensorMap{newMemory("x", 4*32*32), []int{32, 32}, []int{8, 32}, 4, 0}
				r := p.launch(t, c.kernel, x(1), x(64), 4096, m, newMemory("y", 4*64))
				caught(t, r, c.kind, marked(source, "<- "+c.kernel), c.threads)
				if !strings.Contains(r.Message, c.message) {
					t.Errorf("%q, want %q", r.Message, c.message)
				}
			}
		})
	}
	m := tensorMap{numbers("x", 32*32), []int{32, 32}, []int{8, 32}, 4, 0}
	if r := p.launch(t, "store_box", x(1), x(64), 4096, m, newMemory("y", 4096), 0, 0, 1024); r.Kind != "out_of_bounds" ||
		!strings.Contains(r.Message, "of x, which is read-only") {
		t.Errorf("a store to an input: %+v", r)
	}
}

// half is the bits of a small whole number in either 16-bit type.
func half(v int, bf16 bool) uint16 {
	if v == 0 {
		return 0
	}
	sign, magnitude, exponent := uint16(0), v, 0
	if v < 0 {
		sign, magnitude = 1<<15, -v
	}
	for magnitude>>(exponent+1) > 0 {
		exponent++
	}
	if bf16 {
		return sign | uint16(exponent+127)<<7 | uint16(magnitude<<7>>exponent)&0x7f
	}
	return sign | uint16(exponent+15)<<10 | uint16(magnitude<<10>>exponent)&0x3ff
}

func put(b []byte, i int, v uint16) { binary.LittleEndian.PutUint16(b[2*i:], v) }
