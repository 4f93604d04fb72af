package judge

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
)

// TestVerdict: each case gets the hashes and reports of its own outputs, in whatever order and however often it comes,
// and the first that is wrong is named.
func TestVerdict(t *testing.T) {
	s := &Session{}
	for i, outputs := range []int{1, 2, 3} {
		c := device.Case{Name: fmt.Sprint("case ", i), Buffers: []kernels.Buffer{{Name: "A", Shape: []int{8}}}}
		for out := range outputs {
			c.Buffers = append(c.Buffers,
				kernels.Buffer{Name: fmt.Sprint("C", out), DType: kernels.FP32, Shape: []int{8}, Out: true})
		}
		s.setup.Check.Cases = append(s.setup.Check.Cases, c)
	}
	req := &checker.Judge{Acc: kernels.FP32, Cases: []int{2, 1, 0, 1}}
	outcome := func(wrong int) *checker.JudgeReply {
		var all []found
		for n := range 8 { // of 3, 2, 1 and 2 outputs
			tally := make([]byte, TallyBytes)
			binary.LittleEndian.PutUint64(tally[72:], 1<<n)
			j := Job{Elems: 8, DType: kernels.FP32, Model: check.Model{K: 10, Acc: kernels.FP32}}
			if n == wrong {
				binary.LittleEndian.PutUint32(tally[80:], 1)
			}
			all = append(all, found{Job: j, Verdict: Decode([]Job{j}, tally)[0], located: true})
		}
		reply, err := s.verdict(req, all)
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	if got := outcome(-1); got.Wrong != "" || !slices.Equal(got.Hashes, []uint64{0b111, 0b11000, 0b100000, 0b11000000}) {
		t.Errorf("hashes %b, wrong %q", got.Hashes, got.Wrong)
	}
	for wrong, want := range []string{"case 2: C0", "case 2: C1", "case 2: C2", "case 1: C0", "case 1: C1", "case 0: C0",
		"case 1: C0", "case 1: C1"} {
		if got := outcome(wrong); !strings.HasPrefix(got.Wrong, want) {
			t.Errorf("output %d is wrong: %q, expected %s", wrong, got.Wrong, want)
		}
	}
}

// BenchmarkVerdict is what the judge does of a gate's verdict besides the comparisons, while nobody else has the GPU.
func BenchmarkVerdict(b *testing.B) {
	s := &Session{}
	req := &checker.Judge{Acc: kernels.FP32}
	for i := range 90 {
		shape := []int{2048, 2048}
		s.setup.Check.Cases = append(s.setup.Check.Cases, device.Case{Name: fmt.Sprint("case ", i), Buffers: []kernels.Buffer{
			{Name: "A", DType: kernels.FP16, Shape: shape}, {Name: "B", DType: kernels.FP16, Shape: shape},
			{Name: "C", DType: kernels.FP16, Shape: shape, Out: true}}})
		req.Cases = append(req.Cases, i)
	}
	var all []found
	for range req.Cases {
		j := Job{Elems: 100, DType: kernels.FP16, Model: check.Model{K: 10, Acc: kernels.FP32}}
		all = append(all, found{Job: j, Verdict: Decode([]Job{j}, make([]byte, TallyBytes))[0]})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.verdict(req, all); err != nil {
			b.Fatal(err)
		}
	}
}
