package device

import (
	"encoding/binary"
	"math"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/kernels"
)

func TestPieces(t *testing.T) {
	for _, n := range []int{0, 1, mostLooked, mostLooked + 1, mostLooked + pieceLength, 3<<20 + 77, 2 << 30} {
		looked, end := 0, 0
		for _, p := range Pieces(n) {
			if p.From < end || p.To < p.From || p.To > n {
				t.Errorf("%d: a piece of %d to %d behind %d", n, p.From, p.To, end)
			}
			looked, end = looked+p.To-p.From, p.To
		}
		if want := min(n, mostLooked); looked != want || end != n || Pieces(n)[0].From != 0 {
			t.Errorf("%d: %d looked at to %d, expected %d", n, looked, end, want)
		}
	}
}

// told is the truth of running sums of numbers from 1 to 7, or of each number's share of their sum.
type told struct {
	c      *Case
	shares bool
}

func (r *told) Truth(o *Omission) ([]check.Truth, error) {
	n := r.c.Buffers[0].Elems()
	values, total := make([]float64, n), 0.
	for i := range values {
		if o == nil || i < o.From || i >= o.To {
			values[i] = float64(1 + i%7)
		}
		if total += values[i]; !r.shares {
			values[i] = total
		}
	}
	raw, at := make([]byte, r.c.TruthBytes()), r.c.Truths()[0]
	for i, v := range values {
		if r.shares {
			v /= total
		}
		binary.LittleEndian.PutUint64(raw[at.Value+8*i:], math.Float64bits(v))
		binary.LittleEndian.PutUint32(raw[at.Scale+4*i:], math.Float32bits(float32(v)))
	}
	return r.c.TruthsIn(From(raw))
}

// TestProofOfHugeOutputs: what is missing shows in the pieces that are looked at, whether in all of an output, as the
// first terms of a running sum, or at its end, as the last ones; a kernel that puts terms right that it forgets in the
// sum is found by the others; and what is too little for the tolerance is told as before.
func TestProofOfHugeOutputs(t *testing.T) {
	const n = 2<<20 + 77
	buffers := []kernels.Buffer{{Name: "x", DType: kernels.FP32, Shape: []int{n}},
		{Name: "y", DType: kernels.FP32, Shape: []int{n}, Out: true}}
	for _, c := range []struct {
		name     string
		shares   bool
		from, to int
		k        int
		missed   bool
	}{
		{"the first terms of a running sum", false, 0, n / check.Left, 64, false},
		{"the last terms of a running sum", false, n - n/check.Left, n, 64, false},
		{"the first terms of shares", true, 0, n / check.Left, 64, false},
		{"the last terms of shares", true, n - n/check.Left, n, 64, false},
		{"shares with few terms missing", true, 0, 8, 64, true},
	} {
		axis := -1
		if c.shares {
			axis = 0
		}
		p := &Proof{Case: Case{Buffers: buffers, Terms: []Terms{{Buffer: 0, Axis: 0, Outs: []int{axis}}}},
			Length: check.Length{K: c.k}, Acc: []kernels.DType{kernels.FP32},
			Omissions: []Omission{{What: c.name, From: c.from, To: c.to, Line: -1}}}
		got, err := p.Run(&told{&p.Case, c.shares})
		if err != nil || (got.Missed != "") != c.missed {
			t.Errorf("%s: missed %q, %v: expected %v", c.name, got.Missed, err, c.missed)
		}
	}
}
