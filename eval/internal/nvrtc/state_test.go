package nvrtc

import (
	"fmt"
	"testing"
)

func TestState(t *testing.T) {
	c, opts := open(t)
	opts = append(opts, "--gpu-architecture=sm_90", "--std=c++17")
	const kernel = "extern \"C\" __global__ void k(float* x) { x[threadIdx.x] %s; }"
	for _, tt := range []struct{ name, before, use, want string }{
		{"nothing", "", "= 1.f", ""},
		{"counter", "__device__ unsigned calls;", "= atomicAdd(&calls, 1u)", "calls (4 bytes)"},
		{"two", "__device__ float kept[256]; __device__ int flag;", "= kept[threadIdx.x] + flag", "flag (4 bytes), kept (1024 bytes)"},
		{"constant memory", "__constant__ float table[4] = {1, 2, 3, 4};", "= table[threadIdx.x & 3]", ""},
		{"shared memory", "", "= [] { __shared__ float s[32]; s[threadIdx.x] = 1.f; __syncthreads(); return s[0]; }()", ""},
		{"a constant of a namespace", "namespace n { constexpr int SIZE = 4; __device__ int at(const int& i) { return i; } }", "= n::at(n::SIZE)", ""},
		{"a folded zero", "enum class M { A, B }; constexpr M MODE = M::A; template <M m> __device__ float f(float x) { return m == M::A ? x : 0; }", "= f<MODE>(2.f)", ""},
		{"a folded zero of a class", "template <class T> struct S { static constexpr bool B = false; }; template <class T> constexpr bool S<T>::B;", "= S<int>::B ? 1.f : 2.f", ""},
		{"static", "static __device__ int kept;", "= kept++", "kept (4 bytes)"},
		{"one of two", "__device__ int kept; constexpr int ZERO = 0;", "= kept++ + ZERO", "kept (4 bytes)"},
		{"by its address", "__device__ int kept; __device__ int* where() { return &kept; }", "= (*where())++", "kept (4 bytes)"},
		{"initialised counter", "__device__ int calls = 1;", "= atomicAdd(&calls, 1)", "calls (4 bytes)"},
		{"initialised and stored to", "__device__ int flag = 1;", "= flag; flag = 2", "flag (4 bytes)"},
		{"a table whose place is stored", "__device__ float table[4] = {1, 2, 3, 4};", "= table[threadIdx.x & 3]; *(const float**)(x + 64) = table", ""},
		{"cosine of anything", "", "= cosf(x[threadIdx.x])", ""},
		{"a table", "__device__ float table[4] = {1, 2, 3, 4};", "= table[threadIdx.x & 3]", ""},
		{"declared in assembly", "", "= 1.f; asm volatile(\"{ .global .u32 hidden; .reg .u32 r; L: ld.global.u32 r, [hidden]; st.global.u32 [hidden], r; }\" ::: \"memory\")", "hidden (4 bytes)"},
		{"by a pointer in constant memory", "__device__ int kept; __constant__ int* where = &kept;", "= (*where)++", "kept (4 bytes)"},
		{"the heap", "", "= *(float*)malloc(64)", "what malloc and new give"},
		{"the heap by new", "", "= *(new float[16])", "what malloc and new give"},
		{"the heap in assembly", "", "= 1.f; asm volatile(\"{ .reg .b64 p; .param .b64 n, r; st.param.b64 [n], 64; call (r), malloc, (n); ld.param.b64 p, [r]; }\" ::: \"memory\"); if (x[1] > 2) free(malloc(8))", "what malloc and new give"},
		{"an own function of that name", "namespace n { __device__ float malloc(float v) { return v * v; } }", "= n::malloc(x[1])", ""},
		{"printing", "", "= 1.f; if (x[1] > 2) printf(\"%d\", 3)", ""},
		{"a large table", "__device__ float big[1024] = {1};", "= big[threadIdx.x]++", "big (4096 bytes)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := c.Compile(tt.before+"\n"+fmt.Sprintf(kernel, tt.use), "k.cu", opts)
			if err != nil {
				t.Fatalf("%v\n%s", err, out.Log)
			}
			if got := State(out.PTX); got != tt.want {
				t.Errorf("%q, expected %q, in\n%s", got, tt.want, out.PTX)
			}
		})
	}
}

func FuzzState(f *testing.F) {
	f.Add([]byte(".version 9.0\n.global .align 4 .u32 kept;\n.visible .entry k() { ld.global.u32 %r1, [kept]; ret; }"))
	f.Add([]byte(".visible .global .align 16 .b8 t[2][8] = {1, 2};\n@%p1 st.global.u32 [t], %r2; // t"))
	f.Fuzz(func(t *testing.T, ptx []byte) { State(ptx) })
}
