package export

import (
	"strings"
	"testing"

	"darwarp/kernels"
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
		`unknown form "triton": expected some of bundle, header, torch, kernels, cupy, ktuner`)
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
	tensor := s.Problem.Tensors[0]
	s.Problem.Tensors[0].Shape = []string{"2 * n"}
	refuses(t, one.refuseTorch(), `tensor x has the shape "2 * n"`)
	s.Problem.Tensors[0] = tensor
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
