package check

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
)

func TestExplain(t *testing.T) {
	ref := plain(repeat(2, 24*32)...)
	right := func() []float64 { return slices.Clone(ref.Value) }
	each := func(f func(row, col int) bool) []byte {
		v := right()
		for i := range v {
			if f(i/32, i%32) {
				v[i] = 2.5
			}
		}
		return Encode(kernels.FP32, v)
	}
	nan := right()
	nan[40] = math.NaN()
	unwritten := make([]byte, 768*4)
	for i := range 2 * 768 {
		binary.LittleEndian.PutUint16(unwritten[2*i:], Wild(uint16(i*40503)))
	}
	tail := Encode(kernels.FP32, right())
	copy(tail[4*700:], unwritten)
	for _, c := range []struct {
		name string
		out  []byte
		want string
	}{
		{"right", Encode(kernels.FP32, right()), "C: 768 elements right"},
		{"one", each(func(r, c int) bool { return r == 3 && c == 5 }),
			"C[3,5] = 2.5, expected 2 +- 7.2e-07 (K=1; 1 of 768 elements wrong, first [3,5])"},
		{"last column", each(func(_, c int) bool { return c == 31 }),
			"24 of 768 elements wrong, first [0,31]; only the last column)"},
		{"last row", each(func(r, _ int) bool { return r == 23 }), "; only the last row)"},
		{"row", each(func(r, _ int) bool { return r == 7 }), "; only row 7)"},
		{"corner tile", each(func(r, c int) bool { return r >= 16 && c >= 24 }),
			"; only rows from 16 on; only columns from 24 on)"},
		{"first tile", each(func(r, c int) bool { return r < 16 && c < 16 }), "; only rows 0 to 15; only columns 0 to 15)"},
		{"every eighth", each(func(_, c int) bool { return c%8 == 3 }), "; only every 8. column from 3 on)"},
		{"everywhere", each(func(r, c int) bool { return (r+c)%3 > 0 }), "first [0,1])"},
		{"zeros", make([]byte, 768*4), "; every element of the output is 0)"},
		{"unwritten", unwritten, "C: output was not written"},
		{"unwritten tail", tail, "; 68 never written; only rows from 21 on)"},
		{"NaN", Encode(kernels.FP32, nan),
			"C[1,8] = NaN, expected 2 +- 7.2e-07 (K=1; 1 of 768 elements wrong, first [1,8]; NaN or Inf in the output)"},
		{"short", make([]byte, 767*4+1), "C: the output is short by 1 of 768 elements"},
		{"long", make([]byte, 768*4+1), "C: the output does not end"},
	} {
		got := Judge(c.out, kernels.FP32, ref, Model{K: 1}).Explain("C", []int{24, 32})
		if !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want %q in it", c.name, got, c.want)
		}
	}
}

func TestExplainExact(t *testing.T) {
	r := Judge(Encode(kernels.FP16, []float64{1, 2, 4}), kernels.FP16, plain(1, 2, 3), Model{K: 9, Exact: true})
	want := "C[2] = 4, expected 3 exactly (K=9; 1 of 3 elements wrong, first [2])"
	if got := r.Explain("C", []int{3}); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
