package device

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/kernels"
)

// What the last of the 64 terms of a line adds to its sum.
const (
	seen   = 1    // far more than the tolerance
	hidden = 1e-4 // within it, and more than rounding
	none   = 0
)

// ends is the truth of sums along lines whose last terms are worth what a list says, in turn.
type ends struct {
	c     *Case
	worth []float64
	asked []int // lines
}

func (r *ends) Truth(o *Omission) ([]check.Truth, error) {
	raw, at := make([]byte, r.c.TruthBytes()), r.c.Truths()[0]
	for line := range r.c.Buffers[1].Elems() {
		sum := 63 + r.worth[line%len(r.worth)]
		if o != nil && o.Line == line {
			sum = 63
		}
		binary.LittleEndian.PutUint64(raw[at.Value+8*line:], math.Float64bits(sum))
		binary.LittleEndian.PutUint32(raw[at.Scale+4*line:], math.Float32bits(float32(sum)))
	}
	if o != nil {
		r.asked = append(r.asked, o.Line)
	}
	return r.c.TruthsIn(From(raw))
}

// TestEndsOfFurtherLines: where the end of one line goes unseen by chance, those of most others must be seen; lines
// where there is nothing to see do not count, and who needs no further line asks none.
func TestEndsOfFurtherLines(t *testing.T) {
	const lines = 64
	for _, c := range []struct {
		name   string
		worth  []float64 // of the first line, and of those behind it in turn
		more   int
		missed bool
		asked  int
	}{
		{"the first is seen", []float64{seen, hidden}, MoreLines, false, 1},
		{"there is nothing to see", []float64{none, hidden}, MoreLines, false, 1},
		{"no other line", []float64{hidden}, 0, true, 1},
		{"all are hidden", []float64{hidden}, MoreLines, true, linesAhead},
		{"the first by chance", append([]float64{hidden}, repeated(seen, lines)...), MoreLines, false, 2 + linesAhead},
		{"one in two", []float64{hidden, seen}, MoreLines, true, 1 + MoreLines},
		{"one in three", []float64{hidden, hidden, seen}, MoreLines, true, 14},
		{"two in three", []float64{hidden, seen, seen}, MoreLines, false, 18},
		{"nothing in others", append([]float64{hidden}, repeated(none, lines)...), MoreLines, true, 1 + MoreLines},
		{"one of two", []float64{hidden, seen}, 1, true, 2},
		{"two of three", []float64{hidden, seen, seen}, 2, false, 3},
	} {
		p := &Proof{Case: Case{Buffers: []kernels.Buffer{{Name: "x", DType: kernels.FP32, Shape: []int{lines, 64}},
			{Name: "y", DType: kernels.FP32, Shape: []int{lines}, Out: true}}, Terms: []Terms{{Axis: 1, Outs: []int{-1}}}},
			Length: check.Length{K: 64}, Acc: []kernels.DType{kernels.FP32}}
		o := Omission{What: "the end of one line", From: 63, To: 64}
		for line := range c.more {
			o.More = append(o.More, 1+line)
		}
		p.Omissions = []Omission{o, {What: "another", From: 63, To: 64, Line: lines - 1}}
		r := &ends{c: &p.Case, worth: c.worth}
		reply, err := p.Run(r)
		if err != nil {
			t.Fatal(err)
		}
		if !c.missed {
			c.asked++ // the other omission
		}
		if (strings.HasPrefix(reply.Missed, "an output without the end")) != c.missed || len(r.asked) != c.asked {
			t.Errorf("%s: missed %q, lines %v: expected %t, and %d lines", c.name, reply.Missed, r.asked, c.missed, c.asked)
		}
	}
}

func repeated(v float64, n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = v
	}
	return list
}
