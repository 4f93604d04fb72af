package compile

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"darwarp/eval/internal/dl/dltest"
)

// TestLean: a source that names, or could name, what is left out is compiled with everything.
func TestLean(t *testing.T) {
	for source, want := range map[string]bool{
		"":                            true,
		hopperHead + readyKernel:      true,
		"__half x; __nv_bfloat16 y;":  true,
		"// the text of a context\n":  true,
		"wgmma_m64k16<__half, 64>":    true,
		"#include <cuda_bf16.h>":      true,
		"using namespace nvcuda;":     false,
		"nvcuda::wmma::fragment f;":   false,
		"__nv_fp8_e4m3 x;":            false,
		"__nv_fp8_e5m2 x;":            false,
		"#include <cuda_fp8.h>":       false,
		"__NV_E4M3":                   false,
		"__nv_cvt_float_to_e8m0(x)":   false,
		"__nv_saturation_t s;":        false,
		"__internal_double_to_float(": false,
		"int x = __CUDA_IMMA__;":      false,
		"__CUDACC_RTC_MINIMAL__":      false,
		"cudaStream_t s;":             false,
		"tex2D<float>(t, x, y)":       false,
		"tex1Dfetch<float>(t, x)":     false,
		"texCubemap<float>(t)":        false,
		"textureReference r;":         false,
		"surf2Dwrite(x, s, 0, 0);":    false,
		"__nv_tex_surf_handler(":      false,
		"__itex2D(&x, t, 0, 0)":       false,
		"#define A(x) nv##x":          false,
		"#define A(x) nv%:%:x":        false,
		"nv?" + "?/\ncuda":            false,
		"nv\\\ncuda":                  false,
		"nv\\ \t\ncuda":               false,
	} {
		if got := lean(source); got != want {
			t.Errorf("%q: %v, want %v", source, got, want)
		}
	}
}

// TestLeftOut: every name that cuda_fp8.h adds to those of the headers that it includes is found in a source. Names
// without underscores in front are those of parameters and variables of its functions; all of mma.h is in nvcuda.
func TestLeftOut(t *testing.T) {
	_, dirs := dltest.NVRTC(t)
	there := namesIn(dirs, "cuda_fp16.h", "cuda_fp16.hpp", "cuda_bf16.h", "cuda_bf16.hpp", "vector_types.h")
	all := namesIn(dirs, "cuda_fp8.h", "cuda_fp8.hpp")
	if !all["__NV_SATFINITE"] || !all["__nv_fp8_e4m3"] || !there["__half"] {
		t.Fatalf("%d and %d names do not have the best known ones", len(all), len(there))
	}
	for name := range all {
		if !there[name] && lean(name) {
			t.Errorf("%s is not found", name)
		}
	}
}

// namesIn are the words of files in any of some folders that begin with two underscores.
func namesIn(dirs []string, files ...string) map[string]bool {
	names := map[string]bool{}
	for _, dir := range dirs {
		for _, file := range files {
			text, _ := os.ReadFile(filepath.Join(dir, file)) // of an include folder that has others
			for _, name := range reserved.FindAllString(string(text), -1) {
				names[name] = true
			}
		}
	}
	return names
}

var reserved = regexp.MustCompile(`\b__\w+`)

// TestMissed: where the include library needs more for a source than the source names, it is compiled with everything,
// and what is wrong with a source is said once.
func TestMissed(t *testing.T) {
	cfg := config(t)
	cfg.Slots = 1
	cfg.Headers = map[string][]byte{
		preamble: library[preamble], "darwarp/twice.cuh": library["darwarp/twice.cuh"],
		"darwarp/eight.cuh": []byte("#include <cuda_fp8.h>\ntypedef __nv_fp8_e4m3 eight;\n"),
	}
	p := open(t, cfg)
	const kernel = "#include <darwarp/darwarp.cuh>\n#include <darwarp/eight.cuh>\n" +
		"extern \"C\" __global__ void f(float* x) { eight y(x[0]); x[0] = float(y); }\n"
	if out := compileOne(t, p, kernel); !lean(kernel) || out.Failure != "" || len(out.Cubin) == 0 {
		t.Errorf("failure %q", out.Failure)
	}
	out := compileOne(t, p, readySource(library)+"__device__ int f() { return nothing; }\n")
	if strings.Count(out.Failure, "nothing") != 2 { // the message, and the line of the source
		t.Errorf("failure %q", out.Failure)
	}
}
