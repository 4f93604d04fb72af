package checker

import (
	"math/rand/v2"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/kernels"
)

// right is a truth of n elements and an output that is right.
func right(n int) (check.Truth, []byte) {
	rng := rand.New(rand.NewPCG(1, 2))
	truth := check.Truth{Value: make([]float64, n), Scale: make([]float32, n)}
	for i := range truth.Value {
		truth.Value[i], truth.Scale[i] = rng.NormFloat64(), 4
	}
	return truth, check.Encode(kernels.FP16, truth.Value)
}

var model = check.Model{K: 64, Acc: kernels.FP32}

// TestSeen: the second time an output that was right is known, and its report is the same.
func TestSeen(t *testing.T) {
	truth, out := right(3*hashed/2 + 1)
	s := newSeen()
	first := s.judge(0, 0, out, kernels.FP16, truth, model)
	if !first.Pass() {
		t.Fatal(first.Explain("y", nil))
	}
	truth.Value[5] = 1e6 // whoever looks at the truth again finds the output wrong
	if again := s.judge(0, 0, out, kernels.FP16, truth, model); !again.Pass() || again.Worst != first.Worst ||
		again.Frobenius != first.Frobenius {
		t.Errorf("%+v, expected %+v", again, first)
	}
	half := model
	half.Acc = kernels.FP16
	for name, r := range map[string]check.Report{
		"another case":        s.judge(1, 0, out, kernels.FP16, truth, model),
		"another output":      s.judge(0, 1, out, kernels.FP16, truth, model),
		"another accumulator": s.judge(0, 0, out, kernels.FP16, truth, half),
	} {
		if r.Pass() {
			t.Errorf("%s is taken for one that was seen", name)
		}
	}
}

// TestSeenBits changes single bits of an output that was right: in each of its parts, at their ends, in the last
// element.
func TestSeenBits(t *testing.T) {
	truth, out := right(hashed + 3)
	s := newSeen()
	if r := s.judge(0, 0, out, kernels.FP16, truth, model); !r.Pass() {
		t.Fatal(r.Explain("y", nil))
	}
	for _, at := range []int{1, hashed - 1, hashed + 1, 2*hashed - 1, len(out) - 1} {
		out[at] ^= 0x80
		for range 2 { // what is wrong is not remembered
			if r := s.judge(0, 0, out, kernels.FP16, truth, model); r.Pass() || r.Bad != 1 || r.First != at/2 {
				t.Errorf("bit of byte %d: %d wrong, first %d", at, r.Bad, r.First)
			}
		}
		out[at] ^= 0x80
	}
	out[0], out[2], out[1], out[3] = out[2], out[0], out[3], out[1]
	if r := s.judge(0, 0, out, kernels.FP16, truth, model); r.Bad == 0 {
		t.Error("two elements that changed places pass")
	}
}

func TestSeenForgets(t *testing.T) {
	truth, out := right(8)
	s := newSeen()
	for i := range 2*mostSeen + 10 {
		s.judge(i, 0, out, kernels.FP16, truth, model)
		if len(s.right) > mostSeen {
			t.Fatalf("%d reports are kept", len(s.right))
		}
	}
}

// BenchmarkSeen is an output that was right before, beside one that was not.
func BenchmarkSeen(b *testing.B) {
	const n = 1 << 24
	truth, out := right(n)
	for _, name := range []string{"new", "known"} {
		b.Run(name, func(b *testing.B) {
			s := newSeen()
			for b.Loop() {
				if name == "new" {
					clear(s.right)
				}
				if r := s.judge(0, 0, out, kernels.FP16, truth, model); !r.Pass() {
					b.Fatal(r.Explain("y", nil))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/element")
		})
	}
}
