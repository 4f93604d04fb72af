package compile

import (
	"bytes"
	"debug/elf"
	"errors"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"darwarp/eval/internal/dl/dltest"
	"darwarp/eval/internal/nvrtc"
	"darwarp/kernels"
	"darwarp/templates"
)

// scored are workloads whose candidates are compiled here.
var scored = []struct{ problem, workload string }{
	{"gemm", "2048"}, {"attention", "8x16x512x64"}, {"attention", "4x16x4096x128"},
}

// bundles are a problem for all its sizes, and for one workload.
func bundles(t testing.TB, problem, workload string) (whole, run *templates.Bundle) {
	t.Helper()
	whole, err := templates.Builtin(problem)
	if err != nil {
		t.Fatal(err)
	}
	loads, err := whole.Problem.FindWorkload(workload)
	if err != nil {
		t.Fatal(err)
	}
	if run, err = whole.For(loads); err != nil {
		t.Fatal(err)
	}
	return whole, run
}

// drawn are random points of all families of a problem in turn, as a run of a workload draws them, rendered by each of
// the bundles.
func drawn(t testing.TB, n int, workload string, by ...*templates.Bundle) [][]string {
	t.Helper()
	loads, err := by[0].Problem.FindWorkload(workload)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 0))
	var spaces []*kernels.Space
	for _, f := range by[0].Families {
		s, err := kernels.NewSpace(f, dev, kernels.FP16, nil, loads[0].Dims)
		if errors.Is(err, kernels.ErrNoLegalPoint) { // a family for other sizes
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		spaces = append(spaces, s)
	}
	out := make([][]string, len(by))
	for i := range n {
		s := spaces[i%len(spaces)]
		g := s.Genome(s.At(s.Sample(rng)))
		for k, b := range by {
			out[k] = append(out[k], rendered(t, b, s.Family.Name, g, dev))
		}
	}
	return out
}

func rendered(t testing.TB, b *templates.Bundle, family string, g kernels.Genome, dev kernels.Device) string {
	t.Helper()
	f, err := b.Family(family)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Check(g, dev, kernels.FP16); err != nil {
		t.Fatal(err)
	}
	job, err := b.Job(f, g, dev, kernels.FP16)
	if err != nil {
		t.Fatal(err)
	}
	return job.Source
}

// inProcess is a worker's state in this process, whose processor time is easily read.
func inProcess(t testing.TB) *server {
	t.Helper()
	lib, include := dltest.NVRTC(t)
	home, err := newHome()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { home.close() })
	s := &server{setup: setup{Library: lib, IncludeDirs: include, Arch: "sm_90a", PCH: true}}
	if s.folder, err = home.fill(0, s.setup, templates.Include(), stubs); err != nil {
		t.Fatal(err)
	}
	if s.compiler, err = nvrtc.Open(lib); err != nil {
		t.Fatal(err)
	}
	if whyNot := s.prepare(); whyNot != "" {
		t.Log("no precompiled headers:", whyNot)
	}
	return s
}

// TestFixedKernels: a kernel is the same machine code whether those for other sizes are compiled beside it or not. So
// nothing that was measured or judged of it changes.
func TestFixedKernels(t *testing.T) {
	s := inProcess(t)
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		workload, family, entry string
		genes                   kernels.Genome
	}{
		{"8x16x512x64", "hopper", "attention_64", kernels.Genome{"consumers": kernels.Int(2), "stages": kernels.Int(2)}},
		{"4x16x4096x128", "flash", "attention_128", kernels.Genome{"mma": kernels.String("mma_sync"),
			"loader": kernels.String("cp_async"), "stages": kernels.Int(2), "smem_layout": kernels.String("xor"),
			"block_q": kernels.Int(64), "exp2": kernels.Bool(true), "split_kv": kernels.Int(2)}},
	} {
		whole, run := bundles(t, "attention", tt.workload)
		f, err := whole.Family(tt.family)
		if err != nil {
			t.Fatal(err)
		}
		g := f.Defaults()
		maps.Copy(g, tt.genes)
		a := section(t, s, rendered(t, whole, tt.family, g, dev), ".text."+tt.entry)
		b := section(t, s, rendered(t, run, tt.family, g, dev), ".text."+tt.entry)
		if len(a) == 0 || !bytes.Equal(a, b) {
			t.Errorf("%s: %d bytes of %s, and %d alone", tt.family, len(a), tt.entry, len(b))
		}
	}
}

// TestHopperHeaders: with its headers precompiled a source is the machine code that it is without, also after one that
// uses others; where they cannot be, it is compiled with what there is.
func TestHopperHeaders(t *testing.T) {
	s := inProcess(t)
	if !s.PCH {
		t.Skip("this NVRTC has no precompiled headers")
	}
	const kernel = `extern "C" __global__ void product(float* out, unsigned long long a, unsigned long long b) {
	float sums[8] = {};
	darwarp::wgmma_m64k16<__half, 16>(sums, a, b, true);
	darwarp::wgmma_commit(), darwarp::wgmma_wait<0>();
	for (int i = 0; i < 8; ++i) out[8 * threadIdx.x + i] = sums[i];
}

`
	common, hopper := head{lean: true}, head{hopper: true, lean: true}
	if got, ok := s.parsed(common); !ok || got != common || len(s.pch) != 1 {
		t.Errorf("before any source for Hopper: %v, made %v", got, s.pch)
	}
	if got, ok := s.parsed(headOf(hopperHead + kernel)); !ok || got != hopper {
		t.Errorf("a source for Hopper uses %v, made %v", got, s.pch)
	}
	with := section(t, s, hopperHead+kernel, ".text.product")
	if after := section(t, s, common.ready(), ".text.ready"); len(after) == 0 {
		t.Error("another source does not compile any more")
	}
	codes := map[string][]byte{"again": section(t, s, hopperHead+kernel, ".text.product")}
	for _, failed := range []head{hopper, {hopper: true}, common, {}} {
		s.pch[failed] = false
		got, ok := s.parsed(hopper)
		if ok && got == failed || ok == (failed == head{}) {
			t.Errorf("where %s cannot be made: %v, %v", failed.file(), got, ok)
		}
		codes["without "+failed.file()] = section(t, s, hopperHead+kernel, ".text.product")
	}
	for name, code := range codes {
		if len(with) == 0 || !bytes.Equal(with, code) {
			t.Errorf("%s: other machine code", name)
		}
	}
}

// TestHeldSums: sums that only PTX has names for take no more registers than an array, nor more instructions.
func TestHeldSums(t *testing.T) {
	s := inProcess(t)
	const kernel = `extern "C" __global__ void product(float* out, unsigned long long a, unsigned long long b, int steps) {
	float sums[64];
	DECLARE
	for (int i = 0; i < steps; ++i) {
		darwarp::wgmma_fence();
		MULTIPLY a + i, b + i, i > 0);
		darwarp::wgmma_commit(), darwarp::wgmma_wait<0>();
	}
	TAKE
	for (int i = 0; i < 64; ++i) out[64 * threadIdx.x + i] = sums[i];
}

`
	array := strings.NewReplacer("DECLARE", "", "MULTIPLY", "darwarp::wgmma_m64k16<__half, 128>(sums,", "TAKE", "")
	held := strings.NewReplacer("DECLARE", "darwarp::HeldSums<1, 128> held;", "MULTIPLY", "held.multiply<__half, 0>(",
		"TAKE", "held.take<0>(sums);")
	var registers, size [2]int
	for i, by := range []*strings.Replacer{array, held} {
		source := hopperHead + by.Replace(kernel)
		out, err := s.translate(source)
		if err != nil {
			t.Fatal(err, out.Log)
		}
		used := nvrtc.ParsePtxas(out.Log)[0]
		if used.SpillStoreBytes > 0 {
			t.Errorf("%v", used)
		}
		registers[i], size[i] = used.Registers, len(section(t, s, source, ".text.product"))
	}
	if registers[1] > registers[0] || size[1] > size[0] {
		t.Errorf("%d registers and %d bytes, with an array %d and %d", registers[1], size[1], registers[0], size[0])
	}
}

// section is what a source compiles to in a section of its cubin.
func section(t *testing.T, s *server, source, name string) []byte {
	t.Helper()
	out, err := s.translate(source)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(out.Cubin))
	if err != nil {
		t.Fatal(err)
	}
	at := f.Section(name)
	if at == nil {
		t.Fatalf("no section %s", name)
	}
	data, err := at.Data()
	if err != nil {
		t.Fatal(err)
	}
	return data
}
