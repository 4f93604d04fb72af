package export

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"darwarp/kernels"
)

// on is a kernel as it was found on another device.
func on(t *testing.T, k Kernel, arch string) Portfolio {
	t.Helper()
	var err error
	if k.Device, err = kernels.ArchDevice(arch); err != nil {
		t.Fatal(err)
	}
	k.Device.Name = "GPU of " + arch
	f, err := k.Bundle.Family(k.Job.Variant.Family)
	if err != nil {
		t.Fatal(err)
	}
	if k.Job, err = k.Bundle.Job(f, k.Job.Variant.Genes, k.Device, k.DType); err != nil {
		t.Fatal(err)
	}
	k.Candidate.ID = k.Job.ID
	p := Portfolio{Kernels: []Kernel{k}, Found: kernels.Portfolio{K: 1, Kernels: []kernels.ID{k.Job.ID}}}
	for _, w := range k.Workloads {
		p.Found.Choices = append(p.Found.Choices, kernels.Choice{Workload: w.Name, Time: 1000})
	}
	return p
}

// archsPortfolio is of three kernels for sm_90a, and one for each of sm_80 and sm_89.
func archsPortfolio(t *testing.T) Portfolio {
	p := gemmPortfolio(t)
	p.Others = []Portfolio{on(t, p.Kernels[1], "sm_80"), on(t, p.Kernels[2], "sm_89")}
	return p
}

// archDriver prints the kernel that a GPU of each compute capability on its standard input takes, -1 for none.
const archDriver = `#include <cstdio>
#include "dispatch.h"
int main() {
    darwarp_dispatch::Dims d;
    int capability;
    while (std::scanf("%lld %lld %lld %d", &d.m, &d.n, &d.k, &capability) == 4) {
        try {
            const darwarp_dispatch::Call c = darwarp_dispatch::dispatch(d, capability);
            std::printf("%d %d\n", c.kernel, int(c.known));
        } catch (const std::domain_error&) { std::printf("-1 0\n"); }
    }
}
`

// TestArchs: each GPU takes the kernels that were found on its architecture, else those of the newest before it that
// run on later ones. Code for sm_90a runs on no other.
func TestArchs(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("not tested: no g++: dispatch.h is not run")
	}
	p := archsPortfolio(t)
	dir := written(t, func(dir string) error { return WritePortfolio(dir, p) })
	if err := os.WriteFile(filepath.Join(dir, "driver.cpp"), []byte(archDriver), 0o644); err != nil {
		t.Fatal(err)
	}
	parses(t, dir, "g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "driver.cpp", "-o", "driver")
	var in, want strings.Builder
	for i, w := range p.Kernels[0].Workloads {
		for capability, kernel := range map[int]int{90: i % 3, 80: 3, 86: 3, 89: 4, 100: 4, 120: 4, 75: -1, 0: -1} {
			known := 1
			if kernel < 0 {
				known = 0
			}
			fmt.Fprintln(&in, w.Dims["m"], w.Dims["n"], w.Dims["k"], capability)
			fmt.Fprintln(&want, kernel, known)
		}
	}
	run := exec.Command(filepath.Join(dir, "driver"))
	run.Stdin = strings.NewReader(in.String())
	if got, err := run.Output(); err != nil || string(got) != want.String() {
		t.Errorf("%v\n%s\ngot:\n%s, want:\n%s", err, in.String(), got, want.String())
	}
}

// TestArchsLaunch runs launch.h: the current GPU decides.
func TestArchsLaunch(t *testing.T) {
	p := Portfolio{As: []string{"header"}, Kernels: []Kernel{boxes(t, kernels.FP32, 2)}}
	for _, w := range p.Kernels[0].Workloads {
		p.Found.Choices = append(p.Found.Choices, kernels.Choice{Workload: w.Name})
	}
	p.Others = []Portfolio{on(t, boxes(t, kernels.FP32, 1), "sm_100a")}
	s, err := p.sheet()
	if err != nil {
		t.Fatal(err)
	}
	program := hosted(t, written(t, func(dir string) error { return WritePortfolio(dir, p) }), s)
	for capability, unit := range map[string]int{"90": 1, "100": 2, "75": 0} {
		got := calls(t, program, capability, kernels.Dims{"rows": 100, "columns": 64})[0]
		if unit == 0 && (got.Status == 0 || len(got.Launches) > 0) ||
			unit > 0 && (got.Status != 0 || len(got.Launches) != 1 || got.Launches[0].Kernel/100 != unit) {
			t.Errorf("%s: %+v", capability, got)
		}
	}
}

// TestArchsFiles: each unit is built for its own architecture, and the bench for all. What nothing could choose between
// is refused, and so are forms that are built for one architecture.
func TestArchsFiles(t *testing.T) {
	p := archsPortfolio(t)
	files, err := p.files()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"README.md": {"compute_90a,code=sm_90a -Xptxas=-O3 -Iinclude -c kernel_0.cu",
			"-arch=sm_80 -Xptxas=-O2 -Iinclude -c kernel_3.cu",
			"-gencode=arch=compute_80,code=sm_80 -gencode=arch=compute_80,code=compute_80", "GPU of sm_89 (sm_89)"},
		"CMakeLists.txt": {"CMAKE_CUDA_ARCHITECTURES 90a 80 89)",
			"set_target_properties(kernel_4 PROPERTIES CUDA_ARCHITECTURES 89)",
			"add_executable(bench bench.cu)"},
		"bench.cu":        {"dispatch(dims, capability())", "cudaDevAttrComputeCapabilityMajor"},
		"PROVENANCE.json": {`"on sm_80"`, `"on sm_89"`},
	} {
		holds(t, name, files[name], want...)
	}
	p.Others[1] = on(t, p.Kernels[1], "sm_80")
	if _, err := p.files(); err == nil || !strings.Contains(err.Error(), "two of the devices are sm_80") {
		t.Error(err)
	}
	p = archsPortfolio(t)
	p.As = []string{"torch"}
	_, err = p.files()
	if !errors.As(err, new(*RefusedError)) || !strings.Contains(err.Error(), "several architectures") {
		t.Error(err)
	}
}
