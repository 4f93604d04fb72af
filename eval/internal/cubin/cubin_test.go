package cubin_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"darwarp/eval/internal/cubin"
	"darwarp/eval/internal/dl"
	"darwarp/eval/internal/dl/dltest"
	"darwarp/eval/internal/nvrtc"
)

const base = `__device__ float bias[2] = {1, 2};
extern "C" __global__ void k(float* x, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) x[i] = x[i] * 3.0f + bias[i & 1];
}`

const renamed = `// the same in other words
__device__ float offsets[2] = {1, 2};

extern "C" __global__ void k(float* out, int count) {
	int index = blockIdx.x * blockDim.x + threadIdx.x; /* where */
	if (index < count) out[index] = out[index] * 3.0f + offsets[index & 1];
}`

// compiler opens NVRTC, or skips the test.
func compiler(t *testing.T) *nvrtc.Compiler {
	t.Helper()
	c, err := nvrtc.Open(dltest.Find(t, dl.NVRTC))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// codeOf is the hash of a source's machine code for sm_90, or for the architecture that opts name.
func codeOf(t *testing.T, c *nvrtc.Compiler, src string, opts ...string) []byte {
	t.Helper()
	out, err := c.Compile(src, "k.cu", append([]string{"--gpu-architecture=sm_90"}, opts...))
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Log)
	}
	sum, err := cubin.Code(out.Cubin)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func TestCode(t *testing.T) {
	c := compiler(t)
	replace := func(old, new string) string {
		if !bytes.Contains([]byte(base), []byte(old)) {
			t.Fatalf("base source lacks %q", old)
		}
		return string(bytes.Replace([]byte(base), []byte(old), []byte(new), 1))
	}
	tests := []struct {
		name string
		src  string
		opts []string
		same bool
	}{
		{"same source again", base, nil, true},
		{"comments and names", renamed, nil, true},
		{"verbose assembler", base, []string{"--ptxas-options=-v"}, true},
		{"another constant", replace("3.0f", "4.0f"), nil, false},
		{"another initial value", replace("{1, 2}", "{1, 3}"), nil, false},
		{"another kernel name", replace("k(", "kk("), nil, false},
		{"more shared memory", replace("int i =", "__shared__ volatile float s[64]; s[threadIdx.x] = 1; int i ="),
			nil, false},
		{"launch bounds", replace("void k", "void __launch_bounds__(128) k"), nil, false},
	}
	want := codeOf(t, c, base)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := codeOf(t, c, tt.src, tt.opts...); bytes.Equal(got, want) != tt.same {
				t.Errorf("same code = %v, want %v", !tt.same, tt.same)
			}
		})
	}
	t.Run("another architecture", func(t *testing.T) {
		if bytes.Equal(codeOf(t, c, base, "--gpu-architecture=sm_80"), want) {
			t.Error("sm_80 and sm_90 code are the same")
		}
	})
	t.Run("no kernel", func(t *testing.T) {
		out, err := c.Compile("__device__ int x;", "k.cu", []string{"--gpu-architecture=sm_90"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cubin.Code(out.Cubin); !errors.Is(err, cubin.ErrNoCode) {
			t.Errorf("Code = %v, want ErrNoCode", err)
		}
	})
}

// TestCodeOfTables: which table a kernel reads is part of its machine code, also where all sections have the same
// bytes. Tables of pointers hold nothing before they are relocated, and two tables may have changed places.
func TestCodeOfTables(t *testing.T) {
	const kernel = "\nextern \"C\" __global__ void k(float* x) { x[threadIdx.x] = %s[threadIdx.x & 1]%s; }"
	const two = "__device__ int a[4] = {1, 2, 3, 4}; __device__ int b[4] = {5, 6, 7, 8};"
	pointers := func(order string) string {
		return two + "__device__ int* const both[2] = {" + order + "};" + fmt.Sprintf(kernel, "both", "[2]")
	}
	tests := []struct{ name, one, other string }{
		{"pointers in another order", pointers("a, b"), pointers("b, a")},
		{"another table", two + fmt.Sprintf(kernel, "a", ""), two + fmt.Sprintf(kernel, "b", "")},
		{"tables laid out by their alignment",
			"__device__ int a[4] = {1, 2, 3, 4}; __device__ __align__(16) int b[4] = {5, 6, 7, 8};" +
				fmt.Sprintf(kernel, "a", ""),
			"__device__ __align__(16) int a[4] = {5, 6, 7, 8}; __device__ int b[4] = {1, 2, 3, 4};" +
				fmt.Sprintf(kernel, "a", "")},
	}
	c := compiler(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if bytes.Equal(codeOf(t, c, tt.one), codeOf(t, c, tt.other)) {
				t.Error("two kernels that read different numbers have the same code")
			}
			if !bytes.Equal(codeOf(t, c, tt.one), codeOf(t, c, "// again\n"+tt.one)) {
				t.Error("a comment changes the code")
			}
		})
	}
}

func FuzzCode(f *testing.F) {
	f.Add([]byte("not an ELF file"))
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	f.Fuzz(func(t *testing.T, image []byte) {
		if sum, err := cubin.Code(image); err == nil && len(sum) != 32 {
			t.Errorf("Code of %d bytes = %x without an error", len(image), sum)
		}
	})
}
