package export

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/templates"
)

// boxes is a candidate that takes a tensor map by value, in clusters of so many blocks, and at some sizes another
// kernel that takes none.
func boxes(t *testing.T, dtype kernels.DType, cluster int) Kernel {
	t.Helper()
	b, err := templates.Load(os.DirFS("testdata/scale"))
	if err != nil {
		t.Fatal(err)
	}
	dev, err := kernels.ArchDevice("sm_90a")
	if err != nil {
		t.Fatal(err)
	}
	job, err := b.Job(b.Families[0], kernels.Genome{"cluster": kernels.Int(cluster)}, dev, dtype)
	if err != nil {
		t.Fatal(err)
	}
	return Kernel{Bundle: b, DType: dtype, Workloads: b.Problem.Workloads, Job: job, Device: dev,
		Candidate: kernels.Candidate{ID: job.ID, Variant: job.Variant}, Run: "scale.db"}
}

// boxesPortfolio has kernels with different boxes.
func boxesPortfolio(t *testing.T) Portfolio {
	return portfolioOf(t, boxes(t, kernels.BF16, 1), kernels.Pins{"box_rows": {kernels.Int(16)},
		"cluster": {kernels.Int(2)}}, kernels.Pins{"box_rows": {kernels.Int(32)}, "cluster": {kernels.Int(1)}})
}

// mixedPortfolio is of gemm's families: kernels with pointers, and with tensor maps by value.
func mixedPortfolio(t *testing.T) Portfolio {
	t.Helper()
	p := Portfolio{Found: kernels.Portfolio{K: 2, Choices: []kernels.Choice{{Workload: gemm(t).Workloads[0].Name},
		{Workload: gemm(t).Workloads[1].Name, Kernel: 1}}}}
	for _, family := range []string{"tile", "hopper"} {
		k := gemm(t)
		f, err := k.Bundle.Family(family)
		if err != nil {
			t.Fatal(err)
		}
		s, err := kernels.NewSpace(f, k.Device, k.DType, nil)
		if err != nil {
			t.Fatal(err)
		}
		if k.Job, err = k.Bundle.Job(f, s.Genome(s.At(s.Len()/2)), k.Device, k.DType); err != nil {
			t.Fatal(err)
		}
		k.Candidate = kernels.Candidate{ID: k.Job.ID, Variant: k.Job.Variant}
		p.Kernels = append(p.Kernels, k)
	}
	return p
}

func TestTensorMapTexts(t *testing.T) {
	k := boxes(t, kernels.BF16, 1)
	k.As = Targets()
	files, err := k.files()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"bench.cu": {"#include <cuda.h>", `{"x_boxes", "x", 9, 2, {100, 64}, {16, 64}, 128}`,
			`{"x_boxes", 0}, {"y", 0}, {nullptr, 100}`},
		"dispatch.h": {`{"x_boxes", "x", 9, 2, {d.rows, d.columns}, {least({d.rows, 16LL}), 64LL}, 128LL}`,
			"std::vector<TensorMap> maps;"},
		"launch.h":        {"#include <cuda.h>", `"cuTensorMapEncodeTiled"`},
		"launch.json":     {`"tensor_maps": [`, `"kind": "tensor_map"`},
		"cupy_example.py": {"import ctypes", "def tensor_map("},
		"README.md":       {"arguments, tensor maps and scratch buffers"},
	} {
		holds(t, name, files[name], want...)
	}
	if text := string(files["header_bench.cu"]); strings.Contains(text, "TensorMap ") {
		t.Errorf("header_bench.cu makes maps of its own:\n%s", text)
	}
	k = axpy(t, kernels.FP16)
	k.As = Targets()
	if files, err = k.files(); err != nil {
		t.Fatal(err)
	}
	delete(files, "solution.json") // has the include library in it; its other files are those of header
	for name, data := range files {
		if text := string(data); !strings.HasPrefix(strings.TrimPrefix(name, "hub/darwarp_axpy_cuda/"), "include/") &&
			(strings.Contains(text, "TensorMap") || strings.Contains(text, "tensor_map(") || strings.Contains(text, "cuda.h>")) {
			t.Errorf("%s of a kernel without tensor maps speaks of them:\n%s", name, text)
		}
	}
}

// TestTensorMapShapes: a map that sees its tensor in another shape is written with that one.
func TestTensorMapShapes(t *testing.T) {
	single, err := boxes(t, kernels.FP16, 1).sheet()
	if err != nil {
		t.Fatal(err)
	}
	several, err := boxesPortfolio(t).sheet()
	if err != nil {
		t.Fatal(err)
	}
	got := string(single.Calls[0].MapText(kernels.TensorMap{Name: "x_boxes", Tensor: "x", Shape: []int{2, 50, 64},
		Box: []int{1, 16, 64}, Swizzle: 128}))
	if want := `{"x_boxes", "x", 6, 2, {2, 50, 64}, {1, 16, 64}, 128}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	text, err := several.MapText(cTensorMap{Name: "x_boxes", Tensor: "x", Shape: []code{"2LL", "d.rows"},
		Box: []code{"1LL", "8LL"}, Swizzle: "0LL"})
	if want := `{"x_boxes", "x", 9, 2, {2LL, d.rows}, {1LL, 8LL}, 0LL}`; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
}

// TestTensorMapsAreEncoded runs launch.h: at every size the kernel gets the plan's map of the tensor where it lies.
func TestTensorMapsAreEncoded(t *testing.T) {
	sizes := []kernels.Dims{{"rows": 100, "columns": 64}, {"rows": 4096, "columns": 1000}, {"rows": 1, "columns": 8},
		{"rows": 17, "columns": 7}}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		sizes = append(sizes, kernels.Dims{"rows": 1 + rng.IntN(5000), "columns": 4 * (1 + rng.IntN(2000))})
	}
	one, two := boxes(t, kernels.FP32, 2), boxesPortfolio(t)
	one.As, two.As = []string{"header"}, []string{"header"}
	single, err := one.sheet()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		all   []Kernel
		write func(string) error
		sheet func() (*portfolioSheet, error)
		flags []string
	}{
		{"kernel", []Kernel{one}, func(dir string) error { return Write(dir, one) }, single.linked, []string{"-DEARLIER"}},
		{"portfolio", two.Kernels, func(dir string) error { return WritePortfolio(dir, two) }, two.sheet, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := c.sheet()
			if err != nil {
				t.Fatal(err)
			}
			program := hosted(t, written(t, c.write), s, c.flags...)
			for i, got := range calls(t, program, "", sizes...) {
				unit := max(0, got.Launches[0].Kernel/100-1)
				if want := planned(t, c.all[unit], unit, sizes[i]); !reflect.DeepEqual(got, want) {
					t.Errorf("%v: got %+v, expected %+v", sizes[i], got, want)
				}
			}
			wide := calls(t, program, "", kernels.Dims{"rows": 17, "columns": 4099})[0] // kernels in clusters have no launch
			if s.Single && (wide.Status != 1 || len(wide.Launches) != 0) ||
				!s.Single && (wide.Status != 0 || len(wide.Launches) != 1 || wide.Launches[0].Kernel != 201) {
				t.Errorf("sizes that no kernel, or only another, has: %+v", wide)
			}
			for mode, status := range map[string]int{"refuses": 1, "old": 801} { // cudaErrorInvalidValue, cudaErrorNotSupported
				got := calls(t, program, mode, sizes[0], sizes[3])
				if want := (hostCall{Status: status, Launches: []hostLaunch{}}); !reflect.DeepEqual(got[0], want) {
					t.Errorf("%s: got %+v, expected %+v", mode, got[0], want)
				}
				if got[1].Status != 0 || len(got[1].Launches) != 1 {
					t.Errorf("%s: a size without maps: %+v", mode, got[1])
				}
			}
		})
	}
}

// TestTensorMapOfCuPy runs what cupy_example.py gives to the driver.
func TestTensorMapOfCuPy(t *testing.T) {
	for _, program := range []string{"g++", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("not tested: no %s: cupy_example.py encodes no tensor map", program)
		}
	}
	k := boxes(t, kernels.BF16, 1)
	k.As = []string{"cupy"}
	dir := written(t, func(dir string) error { return Write(dir, k) })
	driver, err := filepath.Abs("testdata/libcuda.cpp")
	if err != nil {
		t.Fatal(err)
	}
	program, err := filepath.Abs("testdata/tensor_map.py")
	if err != nil {
		t.Fatal(err)
	}
	parses(t, dir, "g++", "-shared", "-fPIC", "-o", "libcuda.so.1", driver)
	encode := func(at string) (string, error) {
		run := exec.Command("python3", program, at)
		run.Dir, run.Env = dir, append(os.Environ(), "LD_LIBRARY_PATH="+dir)
		out, err := run.CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	// type, address, columns and rows, bytes of a row, box, steps, interleave, swizzle, promotion, fill, and nothing
	if got, err := encode("65536"); err != nil || got != "9 65536 1000 4096 2000 64 16 1 1 0 3 2 0 0 0 0" {
		t.Errorf("%v: %s", err, got)
	}
	if got, err := encode("65544"); err == nil || !strings.HasSuffix(got,
		"RuntimeError: tensor map x_boxes: the driver refuses it with error 1") {
		t.Errorf("an odd address: %v: %s", err, got)
	}
}
