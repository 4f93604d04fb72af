package nvrtc

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"darwarp/eval/internal/dl"
	"darwarp/eval/internal/dl/dltest"
)

func open(t testing.TB) (*Compiler, []string) {
	t.Helper()
	lib, include := dltest.NVRTC(t)
	c, err := Open(lib)
	if err != nil {
		t.Fatal(err)
	}
	var opts []string
	for _, d := range include {
		opts = append(opts, "-I"+d)
	}
	return c, append(opts, "--std=c++17")
}

// supported lists the architectures that NVRTC compiles for, as 90 for sm_90.
func supported(t *testing.T) []int32 {
	t.Helper()
	path := dltest.Find(t, dl.NVRTC)
	lib, err := dl.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		NumArchs dl.Proc `c:"nvrtcGetNumSupportedArchs"`
		Archs    dl.Proc `c:"nvrtcGetSupportedArchs"`
	}
	if err := lib.Bind(&p); err != nil {
		t.Fatal(err)
	}
	var n int32
	p.NumArchs.Call(uintptr(unsafe.Pointer(&n)))
	archs := make([]int32, max(n, 1))
	p.Archs.Call(uintptr(unsafe.Pointer(&archs[0])))
	return archs
}

// tile multiplies one 16x16 tile per warp on the tensor cores.
const tile = `#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void tile(const __half* a, const __half* b, float* c) {
	__shared__ float scale[64];
	scale[threadIdx.x] = 1.0f;
	__syncthreads();
	wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> x;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> y;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> z;
	wmma::fill_fragment(z, scale[63 - threadIdx.x]);
	wmma::load_matrix_sync(x, a, 16);
	wmma::load_matrix_sync(y, b, 16);
	wmma::mma_sync(z, x, y, z);
	wmma::store_matrix_sync(c, z, 16, wmma::mem_row_major);
}
`

func TestCompile(t *testing.T) {
	c, opts := open(t)
	archs := supported(t)
	for _, arch := range []struct {
		cc   int32
		name string
	}{{80, "sm_80"}, {89, "sm_89"}, {90, "sm_90a"}, {100, "sm_100a"}} {
		t.Run(arch.name, func(t *testing.T) {
			if !slices.Contains(archs, arch.cc) {
				t.Skipf("this NVRTC supports only %v", archs)
			}
			out, err := c.Compile(tile, "tile.cu", append(opts, "--gpu-architecture="+arch.name, "--ptxas-options=-v"))
			if err != nil {
				t.Fatalf("%v\n%s", err, out.Log)
			}
			f, err := elf.NewFile(bytes.NewReader(out.Cubin))
			if err != nil {
				t.Fatal(err)
			}
			if s := f.Section(".text.tile"); s == nil || s.Size == 0 {
				t.Error("cubin has no code for the kernel")
			}
			kernels := ParsePtxas(out.Log)
			if len(kernels) != 1 || kernels[0].Entry != "tile" || kernels[0].Arch != arch.name {
				t.Fatalf("resources = %+v from\n%s", kernels, out.Log)
			}
			if k := kernels[0]; k.Registers < 8 || k.SharedBytes != 256 || k.Barriers != 1 || k.SpillStoreBytes != 0 {
				t.Errorf("implausible resources %+v from\n%s", k, out.Log)
			}
		})
	}
}

func TestCompileFailures(t *testing.T) {
	c, _ := open(t)
	const arch = "--gpu-architecture=sm_90"
	tests := []struct {
		name      string
		src       string
		opts      []string
		candidate bool   // the program's fault
		want      string // in the message
	}{
		{"syntax error with its line", "__global__ void k() {\n\n  int x = ;\n}", []string{arch}, true, "k.cu(3): error"},
		{"unknown instruction", `__global__ void k() { asm("nonsense;"); }`, []string{arch}, true, "nonsense"},
		{"too much static shared memory", "__global__ void k(float* x) { __shared__ float s[100000]; s[threadIdx.x] = " +
			"x[0]; __syncthreads(); x[1] = s[threadIdx.x + 1]; }", []string{arch}, true, "shared"},
		{"missing header", "#include <no_such.h>\n__global__ void k() {}", []string{arch}, true, "no_such.h"},
		{"NUL in the source", "__global__ void k() {}\x00", []string{arch}, true, "NUL"},
		{"unknown option", "__global__ void k() {}", []string{arch, "--no-such-option"}, false, "no-such-option"},
		{"virtual architecture", "__global__ void k() {}", []string{"--gpu-architecture=compute_90"}, false, "compute_90"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := c.Compile(tt.src, "k.cu", tt.opts)
			if err == nil || out.Cubin != nil {
				t.Fatalf("Compile = %d bytes, %v", len(out.Cubin), err)
			}
			var failure *CompileError
			if errors.As(err, &failure) != tt.candidate || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %T %v; want the candidate's fault = %v, with %q", err, err, tt.candidate, tt.want)
			}
		})
	}
}

func TestPCH(t *testing.T) {
	c, opts := open(t)
	if !c.HasPCH() {
		major, minor := c.Version()
		t.Skipf("NVRTC %d.%d has no precompiled headers", major, minor)
	}
	opts = append(opts, "--gpu-architecture=sm_90a")
	plain, err := c.Compile(tile, "tile.cu", opts)
	if err != nil {
		t.Fatal(err)
	}
	// A heap that is too small for the headers grows meanwhile.
	if r := c.p.SetPCHHeapSize.Call(1 << 20); r != 0 {
		t.Fatal(c.check(c.p.SetPCHHeapSize, r))
	}
	pch := append(opts, "--pch", "--pch-dir="+t.TempDir(), "--pch-verbose=true")
	for i := range 3 {
		out, err := c.Compile(tile, "tile.cu", pch)
		if err != nil {
			t.Fatalf("%v\n%s", err, out.Log)
		}
		if !bytes.Equal(textOf(t, out.Cubin), textOf(t, plain.Cubin)) {
			t.Errorf("compile %d with precompiled headers made other code", i)
		}
		if i > 0 && !strings.Contains(out.Log, "using precompiled header") {
			t.Errorf("compile %d did not use the precompiled headers: %s", i, out.Log)
		}
	}
	if _, err := c.Compile("#include <cuda_fp16.h>\nint x = ;", "bad.cu", pch); !errors.As(err, new(*CompileError)) {
		t.Errorf("syntax error with precompiled headers = %v", err)
	}
}

func textOf(t *testing.T, image []byte) []byte {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(image))
	if err != nil {
		t.Fatal(err)
	}
	code, err := f.Section(".text.tile").Data()
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func TestWithoutPCH(t *testing.T) {
	got := withoutPCH([]string{"--pch", "-pch", "--std=c++17", "--pch-dir=/x", "--pch-verbose=true", "-Ipch",
		"--instantiate-templates-in-pch=true"})
	if want := []string{"--std=c++17", "-Ipch"}; !slices.Equal(got, want) {
		t.Errorf("withoutPCH = %q, want %q", got, want)
	}
}

func BenchmarkCompile(b *testing.B) {
	c, opts := open(b)
	opts = append(opts, "--gpu-architecture=sm_90a")
	for _, mode := range []struct {
		name string
		opts []string
	}{{"plain", opts}, {"pch", append(opts, "--pch", "--pch-dir="+b.TempDir())}} {
		b.Run(mode.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				// A new constant each time: nothing but the headers is the same.
				src := tile + fmt.Sprintf("extern \"C\" __global__ void other(float* x) { x[0] = %d; }\n", i)
				if out, err := c.Compile(src, "tile.cu", mode.opts); err != nil {
					b.Fatalf("%v\n%s", err, out.Log)
				}
			}
		})
	}
}
