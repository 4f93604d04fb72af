package export

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// packing is a candidate of gemm_w4a16 whose weights are packed beforehand, for sm_90a and a group of 128.
func packing(t *testing.T) Kernel {
	t.Helper()
	b, err := templates.Builtin("gemm_w4a16")
	if err != nil {
		t.Fatal(err)
	}
	k := gemm(t)
	k.Workloads = b.Problem.Workloads[1:4]
	if k.Bundle, err = b.For(k.Workloads); err != nil {
		t.Fatal(err)
	}
	k.Job.Variant.Family = "skinny"
	return portfolioOf(t, k, packingPins("packed", 1)).Kernels[0]
}

func packingPins(weights string, tiles int) kernels.Pins {
	return kernels.Pins{"weights": {kernels.String(weights)}, "tiles": {kernels.Int(tiles)}, "split": {kernels.Int(1)},
		"loader": {kernels.String("registers")}}
}

// packingPortfolio is of two kernels that pack, each for itself, and between them one that does not.
func packingPortfolio(t *testing.T) Portfolio {
	t.Helper()
	return portfolioOf(t, packing(t), packingPins("packed", 1), packingPins("natural", 1), packingPins("packed", 2))
}

// TestPackingForms: every form has a way to pack weights once.
func TestPackingForms(t *testing.T) {
	k := packing(t)
	k.As = Targets()
	files, err := k.files()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"launch.json": {`"prepare": [`, `"packed": [`, `"bytes": 33554432`},
		"launch.h": {"inline size_t packed_bytes(long long n, long long k, long long group)",
			"prepare(const unsigned char* B, void* packed, size_t bytes, long long n, long long k, long long group, " +
				"cudaStream_t", "__half* C, const void* packed, size_t bytes, void* workspace, long long m,",
			"//     B [n, k % 128 == 0 . k / 2 : 0]"},
		"bench.cu":        {`{{"packed", 33554432, false, false}, },`, "    pack(w, at);\n", "once.launches = w.prepare;"},
		"header_bench.cu": {`::prepare((unsigned char*)at["B"], at["packed"], packed_bytes(w), d[1], d[2], d[3], 0));`},
		"torch_op.cpp": {`ops.def("gemm_w4a16(Tensor A, Tensor B, Tensor B_scale, Tensor B_zero, int group, ` +
			`*, Tensor? packed=None) -> Tensor")`,
			`ops.def("gemm_w4a16_prepare(Tensor B, int k, int group) -> Tensor")`, "keepable(B, B_)"},
		"torch_op.py": {"def fake(A, B, B_scale, B_zero, group, packed=None):", "def fake_prepare(B, k, group):\n",
			"    n = B.shape[0]\n", "dtype=torch.uint8)\n"},
		"torch_check.py": {"PACKED = [1]", `PREPARE_FLAGS = ["k", "group"]`, "proof.library, proof.packs):"},
		"hub/torch-ext/torch_binding.cpp": {
			`ops.impl("gemm_w4a16_prepare", c10::kCUDA, &gemm_w4a16_prepare);`},
		"hub/torch-ext/torch_binding.h": {
			"at::Tensor gemm_w4a16_prepare(const at::Tensor& B, int64_t k, int64_t group);"},
		"hub/torch-ext/darwarp_gemm_w4a16/__init__.py": {`__all__ = ["gemm_w4a16", "gemm_w4a16_prepare"]`},
		"solution.json":   {"return gemm_w4a16(A, B, B_scale, B_zero, group, std::nullopt);"},
		"cupy_example.py": {"    call.prepare(tensors)\n    call(tensors)\n"},
		"README.md":       {"`pack`"},
	} {
		holds(t, name, files[name], want...)
	}
}

// packingWords are what only the files of a kernel that packs have.
var packingWords = []string{"packed", "packing", "pack(", "_prepare", "darwarp_kept", "inference"}

// TestPackingLeavesOthers: the files of a kernel that packs nothing know nothing of it.
func TestPackingLeavesOthers(t *testing.T) {
	k := axpy(t, kernels.FP16)
	k.As = Targets()
	files, err := k.files()
	if err != nil {
		t.Fatal(err)
	}
	portfolio := gemmPortfolio(t)
	portfolio.As = linkedForms
	more, err := portfolio.files()
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []map[string][]byte{files, more} {
		for name, file := range all {
			if strings.Contains(name, "include/") || strings.HasSuffix(name, ".json") || strings.Contains(name, "kernel") {
				continue
			}
			if i := slices.IndexFunc(packingWords, func(w string) bool { return strings.Contains(string(file), w) }); i >= 0 {
				t.Errorf("%s has %q", name, packingWords[i])
			}
		}
	}
}

// TestPackingCalls runs launch.h of one kernel, and of a portfolio, against a runtime that only writes down. Memory of
// another size than is packed is refused, and each kernel gets what was packed for it.
func TestPackingCalls(t *testing.T) {
	one := packing(t)
	one.As = []string{"header"}
	several := packingPortfolio(t)
	several.As = one.As
	s, err := one.sheet()
	if err != nil {
		t.Fatal(err)
	}
	single, err := s.linked()
	if err != nil {
		t.Fatal(err)
	}
	all, err := several.sheet()
	if err != nil {
		t.Fatal(err)
	}
	entries := func(s *portfolioSheet, unit int, name string) int { return 100*(unit+1) + s.EntryOf(unit, name) }
	refused := "prepare, a byte less: invalid\nprepare, a byte more: invalid\nprepare, nowhere: invalid\n" +
		"prepare, misaligned: invalid\nprepare, no such weights: invalid\n"
	last := "launch, other weights' bytes: invalid\nlaunch, nothing packed: invalid\nlaunch, nowhere: invalid\n"
	const size = 104 * 256 // rows to a multiple of eight, two codes to a byte
	pack, product := entries(single, 0, "pack"), entries(single, 0, "product_128")
	want := fmt.Sprintf("bytes: %d\nprepare: ok %d(b000,10000)\n", size, pack) + refused
	for _, m := range []int{1, 8, 16} {
		want += fmt.Sprintf("launch of %d: ok %d(a000,10000)\n", m, product)
	}
	if got := packedHost(t, written(t, func(dir string) error { return Write(dir, one) }), single); got != want+last {
		t.Errorf("one kernel: got\n%s\nwant\n%s", got, want+last)
	}
	second := 0x10000 + size
	want = fmt.Sprintf("bytes: %d\nprepare: ok %d(b000,10000) %d(b000,%x)\n", 2*size, entries(all, 0, "pack"),
		entries(all, 2, "pack"), second) + refused
	for i, m := range []int{1, 8, 16} {
		reads := []int{0x10000, 0xb000, second}[i]
		want += fmt.Sprintf("launch of %d: ok %d(a000,%x)\n", m, entries(all, i, "product_128"), reads)
	}
	dir := written(t, func(dir string) error { return WritePortfolio(dir, several) })
	if got := packedHost(t, dir, all); got != want+last {
		t.Errorf("a portfolio: got\n%s\nwant\n%s", got, want+last)
	}
}

// packedHost builds testdata/packed_host.cpp with a folder's launch.h, and returns what it writes.
func packedHost(t *testing.T, dir string, s *portfolioSheet) string {
	t.Helper()
	headers := os.Getenv("DARWARP_CUDA")
	if headers == "" {
		t.Skip("not tested: DARWARP_CUDA is not set: launch.h of a kernel that packs is not run")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("not tested: no g++: launch.h of a kernel that packs is not run")
	}
	host, err := filepath.Abs("testdata/packed_host.cpp")
	if err != nil {
		t.Fatal(err)
	}
	units := ""
	for i, u := range s.Units {
		units += fmt.Sprintf("ENTRIES(%s,%d) ", u.Symbol, 100*(i+1))
	}
	program := filepath.Join(t.TempDir(), "host")
	parses(t, dir, "g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-attributes", "-Wno-deprecated-declarations",
		"-Wno-missing-field-initializers", "-isystem", filepath.Join(headers, "include"), "-isystem",
		filepath.Join(headers, "include", "cccl"), "-I.", host, "-o", program,
		"-DNAMESPACE="+string(s.Namespace()), "-DUNITS="+units)
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
