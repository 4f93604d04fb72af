package export

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"darwarp/kernels"
	"darwarp/templates"
)

func axpy(t *testing.T, dtype kernels.DType) Kernel {
	t.Helper()
	b, err := templates.Load(os.DirFS("../../testdata/axpy"))
	if err != nil {
		t.Fatal(err)
	}
	dev, err := kernels.ArchDevice("sm_80")
	if err != nil {
		t.Fatal(err)
	}
	dev.Toolchain, dev.Driver = "NVRTC 13.0", "580.1"
	job, err := b.Job(b.Families[0], kernels.Genome{"threads": kernels.Int(256), "per_thread": kernels.Int(4),
		"unroll": kernels.Bool(true)}, dev, dtype)
	if err != nil {
		t.Fatal(err)
	}
	times := []kernels.Timing{{Workload: "large", Median: 5000, Lo: 4900, Hi: 5100, Samples: 40, Cache: "hot",
		Tier: "final"}}
	c := kernels.Candidate{ID: job.ID, Seq: 7, Variant: job.Variant, Score: 0.5,
		Result: kernels.Result{Outcome: kernels.OK, Times: times, Provenance: "p"},
		Origin: kernels.Origin{Operator: "mutate", Generation: 2, Note: "threads 64 -> 256"}}
	return Kernel{Bundle: b, DType: dtype, Workloads: b.Problem.Workloads, Job: job, Device: dev, Candidate: c,
		Run:     "axpy.db",
		Lineage: []kernels.Candidate{c},
		Record: Record{Baselines: []kernels.BaselineResult{{Name: "default",
			Times: []kernels.Timing{{Workload: "large", Median: 10000, Cache: "hot"}}}},
			Provenance: &kernels.Provenance{Device: dev, Protocol: "1", Version: "devel", CacheMode: "hot",
				Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}}}
}

// TestNotExported: what the files of an export cannot make inputs of, or compare, is refused, in a sentence.
func TestNotExported(t *testing.T) {
	for problem, why := range map[string]string{
		"attention_backward": "O is made of other inputs: kernels of such a problem cannot be exported yet",
	} {
		b, err := templates.Builtin(problem)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), problem)
		refuses(t, Write(dir, Kernel{Bundle: b, DType: kernels.FP16, Workloads: b.Problem.Workloads}), why)
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s: a folder was written", problem)
		}
	}
}

// holds fails for each text that a file does not have.
func holds(t *testing.T, name string, file []byte, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(string(file), w) {
			t.Errorf("%s does not have %q:\n%s", name, w, file)
		}
	}
}

// TestCaveat: what was found without a GPU says so wherever its figures or its source stand.
func TestCaveat(t *testing.T) {
	for kind, want := range map[string][]string{
		"cpu":    {"all times are CPU times, and the kernel never ran on a GPU."},
		"replay": {"Found on a recording of AMD EPYC: its times were read there"},
		"cuda":   nil,
	} {
		k := axpy(t, kernels.FP32)
		k.Device.Kind, k.Device.Name = kind, "AMD EPYC"
		k.Provenance.Device = k.Device
		k.As = []string{"header", "kernels", "ktuner"}
		out, err := k.files()
		if err != nil {
			t.Fatal(err)
		}
		p := Portfolio{Kernels: []Kernel{k}, Found: kernels.Portfolio{K: 2, Kernels: []kernels.ID{k.Candidate.ID},
			Choices: []kernels.Choice{{Workload: "large", Time: 5000, Single: 5000}}}}
		all, err := p.files()
		if err != nil {
			t.Fatal(err)
		}
		for name, file := range map[string][]byte{"README.md": out["README.md"], "bench.cu": out["bench.cu"],
			"kernel.cu": out["kernel.cu"], "launch.h": out["launch.h"], "kernel_tuner.h": out["kernel_tuner.h"],
			"CARD.md": out["hub/CARD.md"], "a portfolio": all["README.md"], "its bench": all["bench.cu"],
			"its kernel": all["kernel_0.cuh"]} {
			holds(t, kind+": "+name, file, want...)
			if kind == "cuda" && strings.Contains(string(file), "Found on") {
				t.Errorf("%s of a kernel that was found on a GPU has a caveat:\n%s", name, file)
			}
		}
		if kind == "cpu" {
			holds(t, "README.md", out["README.md"], "| workload | inputs | CPU time |", "AMD EPYC (CPU times), driver")
			holds(t, "a portfolio", all["README.md"], "| workload | kernel | CPU time |")
			holds(t, "launch.h", out["launch.h"], "hot on AMD EPYC (CPU times)")
		}
	}
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	k := axpy(t, kernels.FP16)
	if err := Write(dir, k); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"kernel.cu":    {"using T = __half;", "void axpy("},
		"reference.cu": {"axpy_reference"},
		"bench.cu": {`{"x", false, FP16, 1048576, 0, 0, 0}`, "dim3(1024, 1, 1), dim3(256, 1, 1)",
			`{"z", 0}, {nullptr, 1048576}`, "-arch=sm_80"},
		"CMakeLists.txt": {"CMAKE_CUDA_ARCHITECTURES 80)"},
		"README.md": {"| large | hot | 5.000 us [4.900, 5.100] | 419.4 GFLOP/s | 1.258 TB/s | 2.00x |",
			"driver 580.1", "darwarp verify axpy.db " + k.Job.ID.Short(), "threads 64 -> 256", "2026-01-02"},
		"include/harness.cuh":     {"splitmix64"},
		"include/darwarp/mma.cuh": {"mma_m16n8k16"},
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		holds(t, name, data, want...)
	}
	if _, err := os.Stat(filepath.Join(dir, "kernel.cubin")); err == nil {
		t.Error("kernel.cubin was written without machine code")
	}
	if err := Write(dir, k); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("second Write: %v, expected a refusal", err)
	}
}

func TestJSON(t *testing.T) {
	files, err := axpy(t, kernels.FP32).files()
	if err != nil {
		t.Fatal(err)
	}
	var launch struct {
		Arch      string
		Workloads []struct {
			Name     string
			Launches []kernels.Launch
		}
	}
	if err := json.Unmarshal(files["launch.json"], &launch); err != nil {
		t.Fatal(err)
	}
	if launch.Arch != "sm_80" || len(launch.Workloads) != 2 || launch.Workloads[0].Launches[0].Grid != [3]int{4, 1, 1} {
		t.Errorf("launch.json: %s", files["launch.json"])
	}
	var provenance struct{ Candidate kernels.Candidate }
	if err := json.Unmarshal(files["PROVENANCE.json"], &provenance); err != nil || provenance.Candidate.Seq != 7 {
		t.Errorf("PROVENANCE.json: %v: %s", err, files["PROVENANCE.json"])
	}
}

// TestModuleInJSON: who loads the kernel learns what the module takes and gives otherwise.
func TestModuleInJSON(t *testing.T) {
	k := axpy(t, kernels.FP32)
	if files, err := k.files(); err != nil || strings.Contains(string(files["launch.json"]), `"module"`) {
		t.Errorf("%v, or of no module: %s", err, files["launch.json"])
	}
	want := &kernels.Signature{Numbers: []kernels.Constant{{At: 1, Name: "factor", Value: "0.5"}}, Scalars: []string{"y"}}
	k.Bundle.Problem.Reference.Module = want
	files, err := k.files()
	if err != nil {
		t.Fatal(err)
	}
	var launch struct{ Module *kernels.Signature }
	if err := json.Unmarshal(files["launch.json"], &launch); err != nil || !reflect.DeepEqual(launch.Module, want) {
		t.Errorf("%v: %s", err, files["launch.json"])
	}
}

func TestNoFigureWithoutProvenance(t *testing.T) {
	k := axpy(t, kernels.FP16)
	k.Provenance = nil
	files, err := k.files()
	if err != nil {
		t.Fatal(err)
	}
	if s := string(files["README.md"]); strings.Contains(s, "5.000 us") || !strings.Contains(s, "no provenance") {
		t.Errorf("README.md shows figures that stand on nothing:\n%s", s)
	}
}

// deviceOnly declares what a host compiler misses of CUDA C++: with it the whole bench parses.
const deviceOnly = `#include <algorithm>
#include <cmath>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#define __launch_bounds__(...)
#define __builtin_assume(x)
using std::isfinite; using std::isinf; using std::max; using std::min; using std::signbit;
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
unsigned long long atomicAdd(unsigned long long*, unsigned long long);
int atomicMax(int*, int);
unsigned atomicInc(unsigned*, unsigned);
int __float_as_int(float);
unsigned __float_as_uint(float);
float __uint_as_float(unsigned);
float __fadd_rd(float, float);
float __fdividef(float, float);
float __int_as_float(int);
float4 __ldcg(const float4*);
template <class T> T __ldg(const T*);
template <class T> T __shfl_xor_sync(unsigned, T, int, int = 32);
template <class T> T __shfl_sync(unsigned, T, int, int = 32);
size_t __cvta_generic_to_shared(const void*);
void __syncthreads();
void __syncwarp(unsigned = 0xffffffff);
int __syncthreads_or(int);
unsigned __byte_perm(unsigned, unsigned, unsigned);
__half2 __hfma2(__half2, __half2, __half2);
void __threadfence();
`

// gemm is a candidate with scratch buffers of both kinds.
func gemm(t *testing.T) Kernel {
	t.Helper()
	b, err := templates.Builtin("gemm")
	if err != nil {
		t.Fatal(err)
	}
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	f, err := b.Family("tile")
	if err != nil {
		t.Fatal(err)
	}
	s, err := kernels.NewSpace(f, dev, kernels.FP16, kernels.Pins{"split_k": {kernels.Int(4)},
		"mma": {kernels.String("mma_sync")}, "reduce": {kernels.String("last_block")}})
	if err != nil {
		t.Fatal(err)
	}
	job, err := b.Job(f, s.Genome(s.At(0)), dev, kernels.FP16)
	if err != nil {
		t.Fatal(err)
	}
	return Kernel{Bundle: b, DType: kernels.FP16, Workloads: b.Problem.Workloads[:2], Job: job, Device: dev,
		Candidate: kernels.Candidate{ID: job.ID, Variant: job.Variant}, Run: "gemm.db"}
}

func TestScratch(t *testing.T) {
	files, err := gemm(t).files()
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "bench.cu", files["bench.cu"], `{"partial", 4194304, false, false}`, ", false, true}", `{"partial", 0}`)
}

func TestBenchParses(t *testing.T) {
	headers := os.Getenv("DARWARP_CUDA")
	if headers == "" {
		t.Skip("not tested: DARWARP_CUDA is not set: bench.cu is not parsed against CUDA's headers")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("not tested: no g++: bench.cu is not parsed")
	}
	for name, write := range map[string]func(string) error{
		"axpy fp16": func(dir string) error { return Write(dir, axpy(t, kernels.FP16)) },
		"axpy fp32": func(dir string) error { return Write(dir, axpy(t, kernels.FP32)) },
		"gemm":      func(dir string) error { return Write(dir, gemm(t)) },
		"portfolio": func(dir string) error { return WritePortfolio(dir, gemmPortfolio(t)) },
		"maps":      func(dir string) error { return Write(dir, boxes(t, kernels.BF16, 1)) },
		"mixed":     func(dir string) error { return WritePortfolio(dir, mixedPortfolio(t)) },
		"e4m3":      func(dir string) error { return Write(dir, built(t, "gemm_quantised", "tile")) },
		"windows":   func(dir string) error { return WritePortfolio(dir, attentionPortfolio(t)) },
	} {
		dir := t.TempDir()
		if err := write(filepath.Join(dir, "out")); err != nil {
			t.Fatal(err)
		}
		prelude := filepath.Join(dir, "device.h")
		if err := os.WriteFile(prelude, []byte(deviceOnly), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("g++", "-x", "c++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wno-attributes",
			"-Wno-unknown-pragmas", "-include", prelude,
			"-I"+filepath.Join(headers, "include"), "-I"+filepath.Join(headers, "include", "cccl"), "-Iinclude", "bench.cu")
		cmd.Dir = filepath.Join(dir, "out")
		if msg, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, msg)
		}
	}
}
