package export

import (
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// refuses fails unless an error says why.
func refuses(t *testing.T, err error, why string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("got %v, want %s", err, why)
	}
}

func TestTargetsRefuse(t *testing.T) {
	if err := CheckTargets([]string{"header", "bundle"}); err != nil {
		t.Error(err)
	}
	refuses(t, CheckTargets([]string{"triton"}),
		`unknown form "triton": expected some of bundle, header, torch, kernels, cupy, ktuner, flashinfer`)
	own := axpy(t, kernels.FP32)
	own.As, own.Job.Variant.Genes = []string{"ktuner"}, nil
	_, err := own.files()
	refuses(t, err, "has no parameters")
	p := gemmPortfolio(t)
	p.As = []string{"cupy"}
	_, err = p.files()
	refuses(t, err, "cupy: a portfolio has several kernels: export one of them by its ID")
	s, err := axpy(t, kernels.FP32).sheet()
	if err != nil {
		t.Fatal(err)
	}
	one := &portfolioSheet{sheet: s, Single: true}
	s.Calls[0].Call.Launches[0].Cluster = [3]int{2, 1, 1}
	refuses(t, one.refuseCuPy(), "launched in clusters")
}

func TestTargetsWithoutGPU(t *testing.T) {
	found := axpy(t, kernels.FP32)
	found.As, found.Device.Kind, found.Device.Arch = []string{"kernels"}, "cpu", "cpu"
	_, err := found.files()
	refuses(t, err, "found on the cpu device, and build.toml has to name a GPU's compute capability")
	if b := found.Build(); !strings.Contains(string(b), " -arch=native ") {
		t.Errorf("%s: expected the architecture of the machine that builds", b)
	}
	found = boxes(t, kernels.BF16, 1) // for one architecture alone
	found.As, found.Device.Kind, found.Device.Arch = []string{"kernels"}, "cpu", "cpu"
	if files, err := found.files(); err != nil || !strings.Contains(string(files["hub/build.toml"]), `["9.0a"]`) ||
		!strings.Contains(string(found.Build()), " -gencode=arch=compute_90a,code=sm_90a ") {
		t.Errorf("%v: %s", err, found.Build())
	}
}

// TestHostCode: neither a kernel nor a reference with code of the host is written, whatever a run says of it.
func TestHostCode(t *testing.T) {
	for text, why := range map[string]string{
		"#ifdef __NVCC__\nextern \"C\" int system(const char*); static int p = system(\"x\");\n#endif\n": "#if on __NVCC__",
		"static int p = system(\"x\");\n": "code of the host",
		"#include <thread>\n":             "includes <thread>",
	} {
		k := axpy(t, kernels.FP32)
		k.Job.Source = text + k.Job.Source
		refuses(t, Write(t.TempDir(), k), why)
		refuses(t, WritePortfolio(t.TempDir(), Portfolio{Kernels: []Kernel{axpy(t, kernels.FP32), k}}), why)
		k = axpy(t, kernels.FP32)
		k.Bundle.Reference = text + k.Bundle.Reference
		refuses(t, Write(t.TempDir(), k), why)
	}
}

// TestSigned: a source says who wrote it in a comment that no name ends.
func TestSigned(t *testing.T) {
	b, err := templates.Builtin("gemm")
	if err != nil {
		t.Fatal(err)
	}
	for want, set := range map[string]func(*Kernel){
		"the authors of the problem folder axpy: family strided": func(*Kernel) {},
		"darwarp: the built-in family tile of gemm": func(k *Kernel) {
			k.Bundle, k.Job.Variant.Family = b, "tile"
		},
		"somebody whom the run does not name: a source of its own": func(k *Kernel) { k.Job.Variant.Family = "" },
		"the language model qwen/evil/ int p;: family llm-1": func(k *Kernel) {
			k.Job.Variant.Family = kernels.GrownName(1)
			k.Lineage = []kernels.Candidate{{Variant: k.Job.Variant,
				Origin: kernels.Origin{Operator: kernels.Arm("qwen\\evil\\\nint p;", "family")}}}
		},
		"the language model m: a source of its own": func(k *Kernel) {
			k.Job.Variant.Family, k.Candidate.Origin.Operator = "", kernels.Arm("m", "rewrite")
		},
	} {
		k := axpy(t, kernels.FP32)
		set(&k)
		first, rest, _ := strings.Cut(string(k.signed()), "\n")
		_, source, _ := strings.Cut(rest, "\n")
		if !strings.HasPrefix(first, "// Written by "+want+". Candidate ") || source != k.Job.Source {
			t.Errorf("%s, expected %s", first, want)
		}
	}
}
