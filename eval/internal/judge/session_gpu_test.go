package judge

import (
	"errors"
	"fmt"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/checker"
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/cuda/cudatest"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/gpu"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

const productSource = `extern "C" __global__ void reference(const float *a, const float *b, double *c, float *scale, int m, int n, int k) {
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m * n; i += gridDim.x * blockDim.x) {
		double sum = 0, size = 0;
		for (int l = 0; l < k; l++) {
			double p = (double)a[i / n * k + l] * b[i % n * k + l];
			sum += p, size += fabs(p);
		}
		c[i] = sum, scale[i] = (float)size;
	}
}`

const m, n, k = 48, 40, 64

// products are cases of one shape with inputs of their own, the last of small integers.
func products() []device.Case {
	var list []device.Case
	for i := range 5 {
		c := device.Case{Name: fmt.Sprintf("case %d", i), Class: "normal", Dims: kernels.Dims{"m": m, "n": n, "k": k},
			Seed: uint64(i + 1), Buffers: []kernels.Buffer{
				{Name: "A", DType: kernels.FP32, Shape: []int{m, k}}, {Name: "B", DType: kernels.FP32, Shape: []int{n, k}},
				{Name: "C", DType: kernels.FP32, Shape: []int{m, n}, Out: true},
			}}
		if i == 4 {
			c.Class = "exact"
		}
		list = append(list, c)
	}
	return list
}

// opened is a judge with its output memory as a device worker maps it. It keeps two truths.
func opened(t *testing.T) (*Session, *cuda.Range) {
	t.Helper()
	drv, path, dev := cudatest.GPU(t)
	if !drv.HasVirtualMemory(dev) {
		t.Skip("this GPU or driver has no virtual memory management")
	}
	ch, err := proc.NewChannel()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ch.Close() })
	cases := products()
	s := NewSession(ch.Remote, make([]byte, 1<<20))
	setup := &Setup{Slots: 2, Budget: 2 * cases[0].TruthBytes(), Compare: compiled(t, drv, dev, Source),
		Reference: compiled(t, drv, dev, productSource),
		Check:     checker.Setup{Cases: cases, SlotBytes: 6 * cases[0].OutBytes()}}
	one := [3]int{1, 1, 1}
	for range cases {
		setup.Check.Terms = append(setup.Check.Terms, check.Length{K: k})
		setup.Launches = append(setup.Launches, kernels.Launch{Entry: "reference", Grid: [3]int{8, 1, 1},
			Block: [3]int{128, 1, 1}, Cluster: one,
			Args: []kernels.Arg{{Kind: "i32", Int: m}, {Kind: "i32", Int: n}, {Kind: "i32", Int: k}}})
	}
	for _, req := range []*Request{{Open: &device.Open{Driver: path, Harness: compiled(t, drv, dev, gpu.HarnessSource)}},
		{Setup: setup}} {
		if _, err := s.Handle(req, func(string) {}); err != nil {
			t.Fatal(err)
		}
	}
	f, err := ch.Receive()
	if err != nil {
		t.Fatal(err)
	}
	var slots *cuda.Range
	err = s.gpu.Do(func() error {
		p, err := drv.ImportPhysical(dev, f, s.slots.Bytes)
		if err == nil {
			slots, err = p.MapAlone(0, cuda.ReadWrite)
		}
		return errors.Join(err, f.Close())
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, slots
}

func ask(t *testing.T, s *Session, req *checker.Request, given bool) *checker.JudgeReply {
	t.Helper()
	got, err := s.Handle(&Request{Check: req, Given: given}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	return got.(*checker.JudgeReply)
}

// slotted are right outputs of cases in slot 1 of a judge, which a test may spoil.
type slotted struct {
	*Session
	slots   *cuda.Range
	order   []int // cases
	places  []int
	outputs [][]byte
	truths  []check.Truth
}

func newSlotted(t *testing.T, order []int) *slotted {
	t.Helper()
	s := &slotted{order: order}
	s.Session, s.slots = opened(t)
	s.places, _ = device.Pack(s.setup.Check.Cases, order)
	err := s.gpu.Do(func() error {
		for at, i := range order {
			s.Session.truths.turn++
			truth, err := s.truthsOnHost(i)
			if err != nil {
				return err
			}
			s.truths = append(s.truths, truth[0])
			s.outputs = append(s.outputs, check.Encode(kernels.FP32, truth[0].Value))
			if err := s.write(at); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// write copies an output to where it lies in the slot.
func (s *slotted) write(at int) error {
	return s.drv.HtoD(s.slots.At+cuda.Ptr(s.setup.Check.SlotBytes+s.places[at]), s.outputs[at])
}

// TestSessionOnGPU asks a judge everything that it is asked in a search. Truths are dropped and made again all the
// time: that of the output which is spoiled has made room for others when the answer is put together.
func TestSessionOnGPU(t *testing.T) {
	order := []int{3, 0, 4, 1, 0, 2}
	s := newSlotted(t, order)
	req := &checker.Judge{Slot: 1, Acc: kernels.FP32, Cases: order}
	right := ask(t, s.Session, &checker.Request{Judge: req}, false)
	if right.Wrong != "" || right.Report.Checks != len(order) || right.Report.Elements != len(order)*m*n {
		t.Errorf("right outputs: %+v", right)
	}
	if h := right.Hashes; len(h) != len(order) || h[1] != h[4] || h[1] == h[0] {
		t.Errorf("hashes %x of cases %v", h, order)
	}
	s.outputs[3][4*77+2] ^= 0x40
	want, err := s.setup.Check.Verdict(req, func(k, _ int) (check.Report, error) {
		return check.Judge(s.outputs[k], kernels.FP32, s.truths[k], s.setup.Check.Model(order[k], kernels.FP32)), nil
	})
	if err = errors.Join(err, s.gpu.Do(func() error { return s.write(3) })); err != nil {
		t.Fatal(err)
	}
	got := ask(t, s.Session, &checker.Request{Judge: req}, false)
	if got.Wrong != want.Wrong || got.Wrong == "" || got.Report != want.Report {
		t.Errorf("got %q %+v, want %q %+v", got.Wrong, got.Report, want.Wrong, want.Report)
	}
	copy(s.host, s.outputs[0])
	given := &checker.Judge{Slot: 9, Acc: kernels.FP32, Cases: order[:1]}
	if got := ask(t, s.Session, &checker.Request{Judge: given}, true); got.Wrong != "" {
		t.Errorf("given outputs: %s", got.Wrong)
	}
	for i := range s.setup.Check.Cases {
		for _, req := range []*checker.Request{
			{Reference: &checker.Reference{Problem: "gemm", Case: i}}, {SelfTest: &checker.SelfTest{Case: i}},
		} {
			if got := ask(t, s.Session, req, false); got.Wrong != "" {
				t.Errorf("case %d: %s", i, got.Wrong)
			}
		}
	}
	if kept := s.Session.truths; kept.held > kept.budget {
		t.Errorf("%d bytes of truth are kept, at most %d were to be", kept.held, kept.budget)
	}
}
