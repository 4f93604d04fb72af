package judge

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
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

// encoded is struct Tally as judge.cu has it.
func encoded(t check.Tally, hash uint64) []byte {
	var b []byte
	le := binary.LittleEndian
	for _, v := range []float64{t.Worst, t.Got, t.Want, t.Tol, t.Err2, t.Ref2, t.Scale2} {
		b = le.AppendUint64(b, math.Float64bits(v))
	}
	for _, v := range []uint64{uint64(t.Index), uint64(t.First), hash} {
		b = le.AppendUint64(b, v)
	}
	for _, v := range []uint32{uint32(t.Bad), uint32(t.Poison), flag(t.Odd), flag(t.Differs)} {
		b = le.AppendUint32(b, v)
	}
	return b
}

func flag(set bool) uint32 {
	if set {
		return 1
	}
	return 0
}

// TestTallies: what one span of many shows, wherever it lies, is in the report of its output and of no other.
func TestTallies(t *testing.T) {
	const spans = 9
	m := check.Model{K: 10, Acc: kernels.FP32}
	right := check.Tally{Furthest: check.Furthest{Worst: 0.25, Got: 1, Want: 1, Tol: 1e-3}, Ref2: 1e4, Scale2: 1e4,
		Differs: true}
	far := check.Furthest{Worst: 0.5, Index: 77, Got: 2, Want: 3, Tol: 2}
	for name, change := range map[string]func(*check.Tally){
		"wrong":          func(t *check.Tally) { t.Bad, t.First = 1, 99 },
		"never written":  func(t *check.Tally) { t.Bad, t.Poison = 2, 1 },
		"no number":      func(t *check.Tally) { t.Odd = true },
		"far":            func(t *check.Tally) { t.Furthest = far },
		"off as a whole": func(t *check.Tally) { t.Err2 = 1e5 },
		"magnitudes":     func(t *check.Tally) { t.Ref2, t.Scale2 = 3e9, 5e12 },
	} {
		for at := range spans {
			jobs := []Job{{Elems: spans*check.Span - 5, DType: kernels.FP16, Model: m},
				{Elems: 5, DType: kernels.FP16, Model: m}}
			var data []byte
			var list []check.Tally
			for i := range spans + 1 {
				tally := right
				if i == at {
					change(&tally)
				}
				list, data = append(list, tally), append(data, encoded(tally, 1<<i)...)
			}
			got := Decode(jobs, data)
			want := check.NewReport(jobs[0].Elems, kernels.FP16, m, list[:spans])
			other := check.NewReport(5, kernels.FP16, m, list[spans:])
			if !reflect.DeepEqual(got[0].Report, want) || !reflect.DeepEqual(got[1].Report, other) {
				t.Fatalf("%s in span %d: %+v, expected %+v", name, at, got, want)
			}
			plain := check.NewReport(jobs[0].Elems, kernels.FP16, m, slices.Repeat([]check.Tally{right}, spans))
			if reflect.DeepEqual(got[0].Report, plain) || !got[1].Pass() {
				t.Errorf("%s in span %d: nothing is said of it, or it is of the next output", name, at)
			}
			if got[0].Hash != 1<<spans-1 || got[1].Hash != 1<<spans {
				t.Errorf("hashes %x and %x", got[0].Hash, got[1].Hash)
			}
		}
	}
}

// BenchmarkTallies is what the judge reads of a gate of softmax at 16384x8192: two sets of 2^27 elements, and 67 small
// cases.
func BenchmarkTallies(b *testing.B) {
	var jobs []Job
	for i := range 69 {
		j := Job{Elems: 200000, DType: kernels.FP16, Model: check.Model{K: 8192, Acc: kernels.FP32}}
		if i >= 67 {
			j.Elems = 1 << 27
		}
		jobs = append(jobs, j)
	}
	_, blocks := Encode(jobs)
	data := make([]byte, blocks*TallyBytes)
	b.ReportAllocs()
	for b.Loop() {
		Decode(jobs, data)
	}
}
