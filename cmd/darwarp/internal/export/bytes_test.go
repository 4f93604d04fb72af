package export

import (
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// built is the default of a family of a built-in problem, for sm_90a and the problem's first workload.
func built(t *testing.T, problem, family string) Kernel {
	t.Helper()
	b, err := templates.Builtin(problem)
	if err != nil {
		t.Fatal(err)
	}
	k := gemm(t)
	k.Workloads = b.Problem.Workloads[:1]
	if k.Bundle, err = b.For(k.Workloads); err != nil {
		t.Fatal(err)
	}
	f, err := k.Bundle.Family(family)
	if err != nil {
		t.Fatal(err)
	}
	if k.Job, err = k.Bundle.Job(f, f.Defaults(), k.Device, k.DType); err != nil {
		t.Fatal(err)
	}
	k.Candidate = kernels.Candidate{ID: k.Job.ID, Variant: k.Job.Variant}
	return k
}

// TestBytes: inputs of eight bits have their types in every form, and codes and scales numbers of their own.
func TestBytes(t *testing.T) {
	for problem, files := range map[string]map[string][]string{
		"gemm_w4a16": {
			"bench.cu": {`{"B", false, UINT8, 16384, 1, 0, 255}`, `{"B_scale", false, FP16, 512, 5, 0.0625, 1}`,
				`{"B_zero", false, UINT8, 512, 1, 0, 15}`},
			"launch.h": {"const unsigned char* B, const __half* B_scale, const unsigned char* B_zero, __half* C",
				"{int64_t(d.n), int64_t(((mod(d.k, 128LL) == 0LL) ? div(d.k, 2LL) : 0LL))},  // B"},
			"torch_op.cpp": {`gemm_w4a16(Tensor A, Tensor B, Tensor B_scale, Tensor B_zero, int group) -> Tensor`,
				`ready(B, "B", at::kByte, shapes_[1], device_)`, "at::empty(shapes_[4], options_.dtype(at::kHalf))"},
			"torch_op.py": {"B.dtype == torch.uint8",
				"torch._check(B.shape[1] == ((k // 2) if ((k % 128) == 0) else 0), lambda: "},
			"torch_check.py": {`(torch.uint8, [64, 256], ("evenly", 0, 255)), (torch.float16, [64, 8], ("scales", 0.0625, 1))`,
				"values = (low * torch.exp2(by)).clamp(low, high)"},
			"hub/tests/test_darwarp_gemm_w4a16.py": {`(torch.uint8, [64, 8], ("evenly", 0, 15))`},
			"cupy_example.py":                      {`"uint8": cupy.uint8`},
		},
		"gemm_mxfp4": {
			"bench.cu":       {`{"B_scale", false, E8M0, 1024, 5, 0.015625, 4}`},
			"torch_op.cpp":   {`ready(B_scale, "B_scale", at::kFloat8_e8m0fnu, shapes_[2], device_)`},
			"torch_check.py": {`(torch.float8_e8m0fnu, [64, 16], ("scales", 0.015625, 4))`},
		},
		"gemm_fp8": {
			"bench.cu": {`{"A", false, E4M3, 16384, 0, 0, 0}`, `{"A_scale", false, FP32, 1, 5, 0.25, 2}`},
			"launch.h": {"#include <cuda_fp8.h>", "const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* A_scale"},
			"torch_op.cpp": {`ready(A, "A", at::kFloat8_e4m3fn, shapes_[0], device_)`,
				"int scale_m, int scale_n, int scale_k"},
			"torch_check.py": {`(torch.float8_e4m3fn, [128, 128], ("normal", 0, 0))`},
		},
		"decode_fp8": {
			"bench.cu":       {`{"K", false, E4M3, `, `{"lengths", false, INT32, 2, 2, 64, 256}`},
			"torch_op.cpp":   {`at::kFloat8_e4m3fn`},
			"torch_check.py": {`(torch.int32, [2], ("lengths", 64, 256))`},
		},
	} {
		b, err := templates.Builtin(problem)
		if err != nil {
			t.Fatal(err)
		}
		k := built(t, problem, b.Families[0].Name)
		k.As = slices.DeleteFunc(Targets(), func(form string) bool { return form == "cupy" && problem != "gemm_w4a16" })
		got, err := k.files()
		if err != nil {
			t.Errorf("%s: %v", problem, err)
			continue
		}
		for name, want := range files {
			holds(t, problem+": "+name, got[name], want...)
		}
		if problem == "gemm_w4a16" && strings.Contains(string(got["launch.h"]), "cuda_fp8.h") {
			t.Error("launch.h includes what it does not need")
		}
	}
}

// TestNamesOfShapes: a shape may be computed of the problem's dims alone.
func TestNamesOfShapes(t *testing.T) {
	k := axpy(t, kernels.FP32)
	k.As, k.Bundle.Problem.Tensors[0].Shape = []string{"torch"}, []string{"n - evil"}
	_, err := k.files()
	refuses(t, err, "the shape of x: ")
	refuses(t, err, "evil")
}
