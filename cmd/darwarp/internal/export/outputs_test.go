package export

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOutputsOfE4M3: they have their type in every form.
func TestOutputsOfE4M3(t *testing.T) {
	for _, family := range []string{"tile", "vectors", "hopper"} {
		k := built(t, "gemm_quantised", family)
		k.As = slices.DeleteFunc(Targets(), func(form string) bool { return form == "cupy" && family == "hopper" })
		got, err := k.files()
		if err != nil {
			t.Errorf("%s: %v", family, err)
			continue
		}
		for name, want := range map[string][]string{
			"bench.cu":        {`{"scale", false, FP32, 1, 5, 0.03125, 0.5}`, `{"C", true, E4M3, 2048, 0, 0, 0}`},
			"header_bench.cu": {`(__nv_fp8_e4m3*)at["C"]`},
			"launch.h":        {"#include <cuda_fp8.h>", "const float* scale, __nv_fp8_e4m3* C, void* workspace"},
			"torch_op.cpp": {"at::empty(shapes_[3], options_.dtype(at::kFloat8_e4m3fn))",
				"static_cast<__nv_fp8_e4m3*>(C_.data_ptr())"},
			"torch_op.py": {"A.new_empty((m, n, ), dtype=torch.float8_e4m3fn)"},
			"hub/tests/test_darwarp_gemm_quantised.py": {"x.float() if x.dtype == torch.float8_e4m3fn else x"},
			"kernel.cu": {"#include <darwarp/quantise.cuh>"},
		} {
			holds(t, family+": "+name, got[name], want...)
		}
		if family != "hopper" {
			holds(t, family, got["cupy_example.py"], `if dtype == "e4m3":`)
		}
	}
}

// e4m3 is the number of a code: 4 bits of exponent with a bias of 7, 3 of fraction.
func e4m3(code int) float64 {
	exponent, fraction := code>>3&15, float64(code&7)/8
	v := math.Ldexp(1+fraction, exponent-7)
	switch {
	case code&0x7f == 0x7f:
		return math.NaN()
	case exponent == 0:
		v = math.Ldexp(fraction, -6)
	}
	if code&0x80 != 0 {
		return -v
	}
	return v
}

// takes is a 1 for each code that a number no further than allowed from the truth is rounded to, and a 0 for the
// others.
func takes(want, allowed float64) string {
	var out strings.Builder
	for code := range 256 {
		v, below, above := e4m3(code), math.Inf(-1), math.Inf(1) // the ends of what is rounded to v
		for other := range 256 {
			if o := e4m3(other); o < v {
				below = max(below, (o+v)/2)
			} else if o > v {
				above = min(above, (o+v)/2)
			}
		}
		if v == v && want+allowed >= below && want-allowed <= above {
			out.WriteByte('1')
		} else {
			out.WriteByte('0')
		}
	}
	return out.String()
}

// truths are numbers and how far off they may be computed, beside what rounding to fp16 changes: on codes, between two,
// beyond the largest, among the subnormal ones, and any.
func truths() (all [][2]float64) {
	for _, v := range []float64{0, 1, 17, 1.0625, 440, 447, 448, 449, 463.9, 464.1, 480, 1e6, 0x1p-9, 0x1p-10, 0x1.8p-9,
		0x1p-11, 0x1p-30, 0x1p-6, 0x1.1p-6} {
		for _, off := range []float64{0, 0x1p-20, 0.01, 1.1, 40} {
			all = append(all, [2]float64{v, off}, [2]float64{-v, off})
		}
	}
	rng := rand.New(rand.NewPCG(8, 43))
	for range 100 {
		v := math.Ldexp(rng.NormFloat64(), rng.IntN(20)-10)
		all = append(all, [2]float64{v, math.Abs(v) * math.Ldexp(1, -rng.IntN(20))})
	}
	return all
}

// taken runs a program on all truths and compares what it takes for right.
func taken(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	var in strings.Builder
	for _, c := range truths() {
		fmt.Fprintf(&in, "%.17g %.17g\n", c[0], float32(c[1]))
	}
	run := exec.Command(name, args...)
	run.Dir, run.Stdin, run.Stderr = dir, strings.NewReader(in.String()), os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(out))
	if len(lines) != len(truths()) {
		t.Fatalf("%d answers to %d truths", len(lines), len(truths()))
	}
	for i, c := range truths() {
		allowed := 0x1p-10*math.Abs(c[0]) + float64(float32(c[1])) + 0x1p-126
		if want := takes(c[0], allowed); lines[i] != want {
			t.Errorf("of %g, give or take %g, %s takes\n%s for right, expected\n%s", c[0], allowed, args, lines[i], want)
		}
	}
}

// TestE4M3IsRight: an output of e4m3 is right where a number within the tolerance is rounded to it, in each check that
// is exported. A number that is cut off, or wraps around, or is NaN is not.
func TestE4M3IsRight(t *testing.T) {
	k := built(t, "gemm_quantised", "tile")
	k.As = []string{"torch", "cupy"}
	dir := written(t, func(dir string) error { return Write(dir, k) })
	t.Run("bench.cu", func(t *testing.T) {
		headers := os.Getenv("DARWARP_CUDA")
		if _, err := exec.LookPath("g++"); err != nil || headers == "" {
			t.Skip("not tested: no g++, or DARWARP_CUDA is not set: harness.cuh compares no outputs")
		}
		host, program := besides(t, "testdata/outputs_host.cpp"), filepath.Join(t.TempDir(), "host")
		parses(t, dir, "g++", "-std=c++17", "-Wno-attributes", "-isystem", filepath.Join(headers, "include"), "-I.", host,
			"-o", program)
		taken(t, dir, program)
	})
	for _, check := range []string{"torch_check", "cupy_example"} {
		t.Run(check, func(t *testing.T) {
			python := os.Getenv("DARWARP_PYTHON")
			if python == "" {
				t.Skip("not tested: DARWARP_PYTHON is not set: " + check + " compares no outputs")
			}
			taken(t, dir, python, besides(t, "testdata/outputs.py"), check)
		})
	}
}

func besides(t *testing.T, file string) string {
	t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
