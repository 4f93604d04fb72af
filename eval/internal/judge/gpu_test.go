package judge

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/cuda"
	"darwarp/eval/internal/cuda/cudatest"
	"darwarp/eval/internal/dl/dltest"
	"darwarp/eval/internal/judge/judgetest"
	"darwarp/eval/internal/nvrtc"
	"darwarp/kernels"
)

// onGPU runs f in a session on the first GPU whose kernels are loaded.
func onGPU(t testing.TB, f func(s *Session) error) {
	t.Helper()
	s := &Session{}
	s.drv, _, s.dev = cudatest.GPU(t)
	image := compiled(t, s.drv, s.dev, Source)
	c, err := s.drv.Retain(s.dev)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	err = c.Do(func() error {
		m, err1 := s.drv.LoadModule(image)
		var err2, err3, err4 error
		s.compare, err2 = s.drv.Function(m, Compare)
		s.wrong, err3 = s.drv.Function(m, Wrong)
		s.stream, err4 = s.drv.NewStream()
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			return err
		}
		return f(s)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// cubins are of this machine's GPU, by source.
var cubins = map[string][]byte{}

func compiled(t testing.TB, drv *cuda.Driver, dev cuda.Device, source string) []byte {
	t.Helper()
	if cubins[source] != nil {
		return cubins[source]
	}
	lib, include := dltest.NVRTC(t)
	major, err1 := drv.DeviceAttribute(dev, cuda.CapabilityMajor)
	minor, err2 := drv.DeviceAttribute(dev, cuda.CapabilityMinor)
	c, err3 := nvrtc.Open(lib)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	opts := []string{fmt.Sprintf("--gpu-architecture=sm_%d%d", major, minor), "--std=c++17"}
	for _, d := range include {
		opts = append(opts, "-I"+d)
	}
	out, err := c.Compile(source, "test.cu", opts)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Log)
	}
	cubins[source] = out.Cubin
	return out.Cubin
}

// upload copies parts to the device, each to a multiple of 256.
func upload(s *Session, parts ...[]byte) ([]cuda.Ptr, error) {
	var all []byte
	var at []cuda.Ptr
	for _, p := range parts {
		at = append(at, cuda.Ptr(len(all)))
		all = append(all, p...)
		all = append(all, make([]byte, -len(all)&255)...)
	}
	base, err := s.drv.Alloc(uint64(len(all)))
	for i := range at {
		at[i] += base
	}
	return at, errors.Join(err, s.drv.HtoD(base, all))
}

func bytesOf(t check.Truth) (value, scale []byte) {
	for i, v := range t.Value {
		value = binary.LittleEndian.AppendUint64(value, math.Float64bits(v))
		scale = binary.LittleEndian.AppendUint32(scale, math.Float32bits(t.Scale[i]))
	}
	return value, scale
}

// TestJudgeOnGPU holds the comparison on a GPU against check.Judge, as TestJudgeAsTheProcessor does on emulated
// threads.
func TestJudgeOnGPU(t *testing.T) {
	onGPU(t, func(s *Session) error {
		rng := rand.New(rand.NewPCG(2, 17))
		const samples, batch = 20000, 500
		for first := 0; first < samples; first += batch {
			if err := sameOnGPU(t, s, rng, first, batch); err != nil {
				return err
			}
		}
		return nil
	})
}

func sameOnGPU(t *testing.T, s *Session, rng *rand.Rand, first, batch int) error {
	var list []*judgetest.Sample
	var parts [][]byte
	for i := range batch {
		x := judgetest.Random(rng, first+i)
		value, scale := bytesOf(x.Truth)
		list, parts = append(list, x), append(parts, x.Out, value, scale)
	}
	at, err := upload(s, parts...)
	if err != nil {
		return err
	}
	var jobs []Job
	for i, x := range list {
		jobs = append(jobs, Job{Out: uint64(at[3*i]), Value: uint64(at[3*i+1]), Scale: uint64(at[3*i+2]),
			Elems: len(x.Truth.Value), DType: x.DType, Model: x.Model})
	}
	all, err := s.run(nil, jobs)
	if err != nil {
		return err
	}
	for i := range all {
		if all[i].Bad > 0 {
			if err := s.locate(&all[i]); err != nil {
				return err
			}
		}
		if why := list[i].Differ(all[i].Report); why != "" {
			t.Fatalf("sample %d: %s", first+i, why)
		}
	}
	return s.drv.Free(at[0])
}

// BenchmarkJudgeOnGPU compares 2^26 outputs of each type: right ones, and ones that are all wrong.
func BenchmarkJudgeOnGPU(b *testing.B) {
	for _, d := range []kernels.DType{kernels.FP16, kernels.BF16, kernels.FP32} {
		for name, m := range map[string]check.Model{"right": {K: 4096}, "exact": {K: 64, Exact: true}, "wrong": {K: 1}} {
			b.Run(fmt.Sprintf("%s/%s", d, name), func(b *testing.B) {
				onGPU(b, func(s *Session) error { return compareLarge(b, s, d, m, name == "wrong") })
			})
		}
	}
}

func compareLarge(b *testing.B, s *Session, d kernels.DType, m check.Model, wrong bool) error {
	const n, part = 1 << 26, 1 << 20
	job, err := large(s, d, m, wrong, n, part)
	if err != nil {
		return err
	}
	for b.Loop() {
		all, err := s.run(nil, []Job{job})
		if err != nil || all[0].Pass() == wrong {
			return fmt.Errorf("%v, %+v", err, all)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n*1e3, "ps/element")
	return errors.Join(s.drv.Free(cuda.Ptr(job.Out)), s.drv.Free(cuda.Ptr(job.Value)), s.drv.Free(cuda.Ptr(job.Scale)))
}

// large is a job of n elements whose values repeat.
func large(s *Session, d kernels.DType, m check.Model, wrong bool, n, part int) (Job, error) {
	rng := rand.New(rand.NewPCG(3, 17))
	truth, values := check.Truth{}, []float64{}
	for range part {
		v := rng.NormFloat64()
		if m.Exact {
			v = math.Round(8 * v)
		}
		truth.Value, truth.Scale = append(truth.Value, v), append(truth.Scale, float32(math.Abs(v))*4)
		if values = append(values, v*(1+rng.NormFloat64()*1e-6)); wrong {
			values[len(values)-1] += 9
		}
	}
	if m.Exact {
		values = truth.Value
	}
	value, scale := bytesOf(truth)
	var at [3]cuda.Ptr
	for i, p := range [][]byte{check.Encode(d, values), value, scale} {
		var err error
		if at[i], err = s.drv.Alloc(uint64(len(p) / part * n)); err != nil {
			return Job{}, err
		}
		for k := range n / part {
			if err := s.drv.HtoD(at[i]+cuda.Ptr(k*len(p)), p); err != nil {
				return Job{}, err
			}
		}
	}
	return Job{Out: uint64(at[0]), Value: uint64(at[1]), Scale: uint64(at[2]), Elems: n, DType: d, Model: m},
		s.drv.Synchronize()
}
