package gpu

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"darwarp/eval/internal/device"
	"darwarp/eval/internal/dl"
	"darwarp/eval/internal/nvrtc"
	"darwarp/eval/internal/proc"
	"darwarp/kernels"
)

// copySource is a candidate that copies x to y.
const copySource = `extern "C" __global__ void copy(const float *x, float *y, int n) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) y[i] = x[i];
}`

// openOnGPU is a session on the first GPU with so many small cases and two of a workload, and copy's machine code.
func openOnGPU(t *testing.T, small, elems int) (*Session, []kernels.Call, []byte) {
	t.Helper()
	path, tried, err := dl.Find(dl.CUDA)
	if err != nil {
		t.Skipf("no NVIDIA driver: looked in %q", tried)
	}
	lib, tried, err := dl.Find(dl.NVRTC)
	if err != nil {
		t.Skipf("NVRTC not found: looked in %q", tried)
	}
	headers, err := dl.IncludeDirs("")
	if err != nil {
		t.Skipf("CUDA's headers not found: looked in %q", headers.Tried)
	}
	prep := &device.Prepare{GuardKey: 7, Slots: 1}
	var calls []kernels.Call
	for i := range small + 2 {
		n, load := 64<<10, ""
		if i >= small {
			n, load = elems, "w"
		}
		c := device.Case{Name: fmt.Sprint("case ", i), Workload: load, Class: "normal", Dims: kernels.Dims{"n": n},
			Seed: uint64(i + 1), Buffers: []kernels.Buffer{{Name: "x", DType: kernels.FP32, Shape: []int{n}},
				{Name: "y", DType: kernels.FP32, Shape: []int{n}, Out: true}}}
		prep.Cases, prep.SlotBytes = append(prep.Cases, c), prep.SlotBytes+c.OutBytes()
		calls = append(calls, kernels.Call{Launches: []kernels.Launch{{Entry: "copy", Grid: [3]int{132, 1, 1},
			Block: [3]int{256, 1, 1}, Cluster: [3]int{1, 1, 1}, Args: []kernels.Arg{{Kind: "tensor", Name: "x"},
				{Kind: "tensor", Name: "y"}, {Kind: "i32", Int: n}}}}})
	}
	out, err := proc.NewShared("outputs", int64(prep.SlotBytes))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	s := NewSession(device.Files{Out: out.File()})
	ask := func(req *device.Request) any {
		reply, err := s.Handle(req, func(string) {})
		if err != nil {
			t.Skipf("%v", err)
		}
		return reply
	}
	arch := ask(&device.Request{Open: &device.Open{Driver: path}}).(*device.OpenReply).Device.Arch
	c, err := nvrtc.Open(lib)
	if err != nil {
		t.Fatal(err)
	}
	opts := []string{"--gpu-architecture=" + arch, "--std=c++17"}
	for _, d := range headers.Dirs {
		opts = append(opts, "-I"+d)
	}
	var cubins [2][]byte
	for i, source := range []string{HarnessSource, copySource} {
		got, err := c.Compile(source, "test.cu", opts)
		if err != nil {
			t.Fatalf("%v\n%s", err, got.Log)
		}
		cubins[i] = got.Cubin
	}
	s = NewSession(device.Files{Out: out.File()})
	ask(&device.Request{Open: &device.Open{Driver: path, Harness: cubins[0]}})
	ask(&device.Request{Prepare: prep})
	return s, calls, cubins[1]
}

// TestSpeedOnGPU logs where the time of a gate goes, and what each thing takes that is done around a run.
func TestSpeedOnGPU(t *testing.T) {
	for _, elems := range []int{4 << 20, 64 << 20} {
		s, calls, cubin := openOnGPU(t, 50, elems)
		took := map[string][]time.Duration{}
		for range 60 {
			last, begun := "begin", time.Now()
			start := begun
			next := func(p string) {
				took[last] = append(took[last], time.Since(begun))
				last, begun = p, time.Now()
			}
			reply, err := s.Handle(&device.Request{Gate: &device.Gate{Cubin: cubin, Calls: calls}}, next)
			if err != nil || reply.(*device.GateReply).Fault != nil {
				t.Fatalf("%v, %+v", err, reply)
			}
			next("")
			took["whole"] = append(took["whole"], time.Since(start))
		}
		for name, list := range took {
			slices.Sort(list)
			t.Logf("gate of 50 cases and 2 of %d MiB: %-16s median %v", elems>>18, name, list[len(list)/2])
		}
		if err := s.ctx.Do(func() error { return s.logSteps(t, cubin, calls) }); err != nil {
			t.Fatal(err)
		}
	}
}

// logSteps logs what each step takes, of the host until it is queued and altogether.
func (s *Session) logSteps(t *testing.T, cubin []byte, calls []kernels.Call) error {
	if err := s.beginRequest(); err != nil {
		return err
	}
	p, err := s.load(cubin, calls)
	if err != nil {
		return err
	}
	c, big := &s.prep.Cases[0], len(calls)-1
	a, err1 := s.arenaOf(0)
	b, err2 := s.arenaOf(big)
	w, err3 := s.bind(p, calls[0], c, a, nil)
	other, err4 := s.mem.take(64<<10*4, true)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return err
	}
	look := func(kind int, z zone) func() error {
		return func() error {
			v := &inspection{}
			v.add(kind, counterFirst, 0, z)
			return s.queue(v)
		}
	}
	small, large := zone{a.at[1], c.Buffers[1].Bytes()}, zone{b.at[1], s.prep.Cases[big].Buffers[1].Bytes()}
	palette := s.palettes.ordinary(kernels.FP32)
	for _, step := range []struct {
		name  string
		bytes int
		times int
		do    func() error
	}{
		{"refill", small.bytes, 500, func() error { return s.refill(small, device.Wild, palette, kernels.FP32) }},
		{"poison", 0, 500, func() error { return s.poisonShared(nil) }},
		{"bind", 0, 500, func() error { _, err := s.bind(p, calls[0], c, a, nil); return err }},
		{"the call", small.bytes, 500, func() error { return s.put(w) }},
		{"hash", small.bytes, 500, look(HashKind, small)},
		{"look after", small.bytes, 500, func() error {
			s.counted = counterFirst
			_, _, err := s.lookAfter(p, c, a, nil, calls[0], nowhere)
			return err
		}},
		{"copy on the device", small.bytes, 500, func() error {
			return s.drv.DtoDAsync(other.at, a.at[1], uint64(small.bytes), s.stream)
		}},
		{"copy to the host", small.bytes, 500, func() error { return s.out.take(s, 0, a.at[1], small.bytes) }},
		{"event", 0, 500, func() error { return s.drv.Record(s.clock.marks[0][0], s.stream) }},
		{"lap of nothing", 0, 500, func() error { _, err := s.clock.lap(0, func() error { return nil }); return err }},
		{"all of a run", 0, 500, func() error {
			_, _, err := s.ready(p, calls[0], c, a, device.Wild)
			if err == nil {
				err = s.put(w)
			}
			s.counted = counterFirst
			if err == nil {
				_, _, err = s.lookAfter(p, c, a, nil, calls[0], nowhere)
			}
			return err
		}},
		{"clear counters", 0, 500, s.clearCounters},
		{"use palettes", 0, 200, s.usePalettes},
		{"refill wild, large", large.bytes, 20, func() error { return s.refill(large, device.Wild, palette, kernels.FP32) }},
		{"refill plausible, large", large.bytes, 20, func() error {
			return s.refill(large, device.Plausible, palette, kernels.FP32)
		}},
		{"hash, large", large.bytes, 20, look(HashKind, large)},
		{"guards, large", large.bytes, 20, look(GuardKind, large)},
		{"zeros, large", large.bytes, 20, look(ZeroKind, large)},
		{"paint, large", large.bytes, 20, func() error { return s.paint(large) }},
		{"everything", 0, 20, func() error {
			s.counted = counterFirst
			v := s.newInspection()
			s.everything(v)
			return s.look(v)
		}},
		{"end of a request", 0, 20, func() error { _, _, err := s.endRequest(); return err }},
		{"load", 0, 20, func() error {
			p, err := s.load(cubin, calls)
			return errors.Join(err, s.unload(p))
		}},
		{"sync", 0, 100, func() error { return s.drv.SyncStream(s.stream) }},
	} {
		if err := step.do(); err != nil { // some allocate when they are first done
			return fmt.Errorf("%s: %w", step.name, err)
		}
		if err := s.drv.SyncStream(s.stream); err != nil {
			return err
		}
		start := time.Now()
		for range step.times {
			if err := step.do(); err != nil {
				return err
			}
		}
		queued := time.Since(start)
		if err := s.drv.SyncStream(s.stream); err != nil {
			return err
		}
		whole := time.Since(start)
		n := time.Duration(step.times)
		t.Logf("%-24s host %9v, altogether %9v each, %6.0f GB/s", step.name, (queued / n).Round(10*time.Nanosecond),
			(whole / n).Round(10*time.Nanosecond), float64(step.bytes)*float64(step.times)/float64(whole))
	}
	return s.unload(p)
}
