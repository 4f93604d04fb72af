package export

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"darwarp/eval"
	"darwarp/templates"
)

// nvcc is the real one, or the test is skipped.
func nvcc(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("DARWARP_NVCC"); path != "" {
		return path
	}
	path, err := exec.LookPath("nvcc")
	if err != nil {
		t.Skip("LOUD: no nvcc: name one in DARWARP_NVCC: what it makes of an export is not looked at")
	}
	return path
}

// TestProve: of built-in families, with variables, tensor maps and several kernels, nvcc makes no code of the host, and
// where it has NVRTC's version the same machine code.
func TestProve(t *testing.T) {
	program := nvcc(t)
	for name, k := range map[string]Kernel{"gemm": gemm(t), "maps": boxes(t, "bf16", 1), "attention": attentionPortfolio(t).Kernels[0]} {
		t.Run(name, func(t *testing.T) {
			var err error
			if k.Cubin, k.Device.Toolchain, err = eval.Cubin(context.Background(), templates.Include(), k.Device.Arch,
				k.Job.Source); err != nil {
				t.Logf("LOUD: the machine code is not compared: %v", err)
			}
			p, err := Prove(context.Background(), program, func(dir string) error { return Write(dir, k) }, k)
			if err != nil || p.Units != 1 {
				t.Fatalf("%+v: %v", p, err)
			}
			if strings.HasPrefix(k.Device.Toolchain, "NVRTC "+p.NVCC) && p.Same != 1 {
				t.Errorf("%+v with %s: the machine code was not compared", p, k.Device.Toolchain)
			}
			t.Logf("%+v, %s", p, k.Device.Toolchain)
		})
	}
}
