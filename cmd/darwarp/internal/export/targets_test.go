package export

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"darwarp/kernels"
)

// exported writes a kernel in every form.
func exported(t *testing.T, k Kernel) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	k.As = Targets()
	if err := Write(dir, k); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTargets(t *testing.T) {
	dir := exported(t, axpy(t, kernels.FP16))
	for name, want := range map[string][]string{
		"launch.cuh": {
			"inline cudaError_t launch(const __half* x, const __half* y, __half* z, void* workspace, int n, cudaStream_t stream)",
			"if (n == 4096) {", "if (n == 1048576) return 0;", "dim3(1024, 1, 1), dim3(256, 1, 1)", "namespace axpy_kernel", "&& ./bench", "5.000 us [4.900, 5.100] hot on A100",
		},
		"kernel_tuner.h":  {"#ifdef TARGET_A100", "#define block_size_x 256", "#define per_thread 4", "#define unroll 1", "#ifndef kernel_tuner"},
		"cupy_example.py": {"RawModule(path=str(cubin))", `"large": ((4096, 1, 1), (256, 1, 1), [1048576])`, `TERMS = {"small": 2, `},
		"PROVENANCE.json": {`"protocol": "1"`},
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, w := range want {
			if !strings.Contains(string(data), w) {
				t.Errorf("%s does not have %q:\n%s", name, w, data)
			}
		}
	}
}

func TestTargetsRefuse(t *testing.T) {
	if err := CheckTargets([]string{"header", "bundle"}); err != nil {
		t.Error(err)
	}
	if err := CheckTargets([]string{"triton"}); err == nil || !strings.Contains(err.Error(), `unknown form "triton": expected some of bundle, header, cupy, ktuner`) {
		t.Error(err)
	}
	own := axpy(t, kernels.FP32)
	own.As, own.Job.Variant.Genes = []string{"ktuner"}, nil
	if _, err := own.files(); err == nil || !strings.Contains(err.Error(), "has no parameters") {
		t.Error(err)
	}
	s, err := axpy(t, kernels.FP32).sheet()
	if err != nil {
		t.Fatal(err)
	}
	s.Calls[0].Call.Launches[0].Cluster = [3]int{2, 1, 1}
	if err := s.noClusters(); err == nil || !strings.Contains(err.Error(), "launched in clusters") {
		t.Error(err)
	}
}

// use calls the header as a program does.
const use = `#include "launch.cuh"
int use(cudaStream_t stream) {
    return USE;
}
`

// TestTargetsParse holds the header against CUDA's headers, and the example against Python's grammar.
func TestTargetsParse(t *testing.T) {
	headers := os.Getenv("DARWARP_CUDA")
	if headers == "" {
		t.Skip("LOUD: DARWARP_CUDA is not set: launch.cuh is not parsed against CUDA's headers")
	}
	for _, program := range []string{"g++", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("LOUD: no %s: the exported forms are not parsed", program)
		}
	}
	for _, tt := range []struct {
		kernel Kernel
		use    string
	}{
		{axpy(t, kernels.FP16), "axpy_kernel::workspace_bytes(5) + axpy_kernel::prepare(nullptr, 5, stream) + axpy_kernel::launch(nullptr, nullptr, nullptr, nullptr, 5, stream)"},
		{gemm(t), "gemm_kernel::workspace_bytes(1, 2, 3) + gemm_kernel::prepare(nullptr, 1, 2, 3, stream) + gemm_kernel::launch(nullptr, nullptr, nullptr, nullptr, 1, 2, 3, stream)"},
	} {
		dir := exported(t, tt.kernel)
		prelude := filepath.Join(t.TempDir(), "device.h")
		for name, text := range map[string]string{prelude: deviceOnly, filepath.Join(dir, "use.cu"): strings.Replace(use, "USE", tt.use, 1)} {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, command := range [][]string{
			{"g++", "-x", "c++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-attributes", "-Wno-unknown-pragmas", "-Wno-missing-field-initializers",
				"-include", prelude, "-isystem", filepath.Join(headers, "include"), "-isystem", filepath.Join(headers, "include", "cccl"), "-Iinclude", "use.cu"},
			{"g++", "-fsyntax-only", "-x", "c", "-Wall", "kernel_tuner.h"},
			{"python3", "-c", "import ast; ast.parse(open('cupy_example.py').read())"},
		} {
			cmd := exec.Command(command[0], command[1:]...)
			cmd.Dir = dir
			if msg, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", strings.Join(command, " "), err, msg)
			}
		}
	}
}
