package export

import (
	"encoding/json"
	"strings"
	"testing"

	"darwarp/kernels"
)

// TestSolution: a solution has every file that it includes, compiles each unit once, and names what it is for.
func TestSolution(t *testing.T) {
	k := axpy(t, kernels.FP32)
	k.Device.Name, k.NVCCFlags, k.As = "NVIDIA H200", []string{"-Xptxas=-O2"}, []string{"flashinfer"}
	out, err := k.files()
	if err != nil {
		t.Fatal(err)
	}
	var s solution
	if err := json.Unmarshal(out["solution.json"], &s); err != nil {
		t.Fatal(err)
	}
	if s.Definition != "axpy" || s.Spec.Hardware[0] != "NVIDIA_H200" || s.Spec.EntryPoint != "binding.cpp::run" ||
		!strings.Contains(s.Description, "TORCH_CUDA_ARCH_LIST=8.0. kernel_0.cu was measured with -Xptxas=-O2.") {
		t.Errorf("%+v %s", s.Spec, s.Description)
	}
	files, units := map[string]string{}, ""
	for _, f := range s.Sources {
		if f.Content == "" {
			t.Errorf("%s is empty", f.Path)
		}
		if files[f.Path] = f.Content; strings.HasSuffix(f.Path, ".cu") || strings.HasSuffix(f.Path, ".cpp") {
			units += f.Path + " "
		}
	}
	if units != "binding.cpp kernel_0.cu " {
		t.Errorf("what is compiled: %s", units)
	}
	for name, text := range files {
		for _, line := range strings.Split(text, "\n") {
			path, ours := strings.CutPrefix(line, "#include <darwarp/")
			local, own := strings.CutPrefix(line, "#include \"")
			switch {
			case ours && files["darwarp/"+strings.TrimSuffix(path, ">")] == "":
				t.Errorf("%s: %s: not among the sources", name, line)
			case own && !strings.HasPrefix(name, "darwarp/") && files[strings.TrimSuffix(local, "\"")] == "":
				t.Errorf("%s: %s: not among the sources", name, line)
			}
		}
	}
	holds(t, "binding.cpp", []byte(files["binding.cpp"]), `m.def("run", &axpy)`, `#include "launch.h"`)
	k.Device.Kind, k.Device.Arch = "cpu", "cpu"
	if _, err := k.files(); err == nil || !strings.Contains(err.Error(), "flashinfer: it was found on the cpu device") {
		t.Errorf("a kernel of the cpu device: %v", err)
	}
}
