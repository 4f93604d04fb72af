package compile

import (
	"fmt"
	"strings"
	"testing"

	"darwarp/eval/internal/cubin"
	"darwarp/eval/internal/nvrtc"
)

// compiled is a source's machine code and PTX, by the compiler of this process.
func compiled(t *testing.T, c *nvrtc.Compiler, arch, source string) nvrtc.Output {
	t.Helper()
	out, err := c.Compile(source, "k.cu", []string{"--gpu-architecture=" + arch, language})
	if err != nil {
		t.Fatalf("%v\n%s", err, out.Log)
	}
	return out
}

// element is a kernel: declarations in place of the first verb, what thread i does with x[i] in place of the second.
const element = "%s\nextern \"C\" __global__ void k(float* x) { x[threadIdx.x] %s; }\n"

// hidden is a counter of inline assembly, with what stands before its name.
func hidden(declaration string) string {
	return fmt.Sprintf(`= 1.f; asm volatile("{ %s hidden; .reg .u32 r; L: ld.global.u32 r, [hidden]; add.u32 r, r, 1; `+
		`st.global.u32 [hidden], r; }" ::: "memory")`, declaration)
}

func TestState(t *testing.T) {
	const tableOf4 = "float table[4] = {1, 2, 3, 4};"
	const launder = `asm volatile("" : "+l"(p))`
	tests := []struct{ name, before, use, want string }{
		{"nothing", "", "= 1.f", ""},
		{"counter", "__device__ unsigned calls;", "= atomicAdd(&calls, 1u)", "calls (4 bytes)"},
		{"counter from 0", "__device__ unsigned calls = 0;", "= atomicAdd(&calls, 1u)", "calls (4 bytes)"},
		{"only read", "__device__ float kept[256];", "= kept[threadIdx.x]", "kept (1024 bytes)"},
		{"two", "__device__ float kept[256]; __device__ int flag;", "= kept[threadIdx.x] + flag",
			"flag (4 bytes), kept (1024 bytes)"},
		{"one of two", "__device__ int kept; constexpr int ZERO = 0;", "= kept++ + ZERO", "kept (4 bytes)"},
		{"static", "static __device__ int kept;", "= kept++", "kept (4 bytes)"},
		{"of a function", "", "= [] { static int kept; return kept++; }()", "kept (4 bytes)"},
		{"of an unnamed namespace", "namespace n { namespace { __device__ int kept; } }", "= n::kept++", "n::kept (4 bytes)"},
		{"by its address", "__device__ int kept; __device__ int* where() { return &kept; }", "= (*where())++",
			"kept (4 bytes)"},
		{"by a pointer in constant memory", "__device__ int kept; __constant__ int* where = &kept;", "= (*where)++",
			"kept (4 bytes)"},
		{"by a pointer in a table", "__device__ int kept; __device__ int* const where = &kept;", "= (*where)++",
			"kept (4 bytes)"},
		{"a const table of zeros, which looks the same", "__device__ const float table[512] = {};",
			"= table[threadIdx.x & 511]", "table (2048 bytes)"},
		{"managed", "__managed__ int kept = 3;", "= kept++", "kept (4 bytes)"},
		{"initialised counter", "__device__ int calls = 1;", "= atomicAdd(&calls, 1)", "calls (4 bytes)"},
		{"initialised and stored to", "__device__ int flag = 1;", "= flag; flag = 2", "flag (4 bytes)"},
		{"a large table, written", "__device__ float big[1024] = {1};", "= big[threadIdx.x]++", "big (4096 bytes)"},
		{"a const table, written", "__device__ const " + tableOf4,
			"= 1; float* p = const_cast<float*>(table); " + launder + "; p[threadIdx.x & 3] = 5", "table (16 bytes)"},
		{"constant memory, written", "__constant__ " + tableOf4,
			"= 1; float* p = const_cast<float*>(table); " + launder + "; p[threadIdx.x & 3] = table[2]", "table (16 bytes)"},

		{"in assembly", "", hidden(".global .u32"), "hidden (4 bytes)"},
		{"in assembly, over two lines", "", hidden(`.global\n.u32\n`), "hidden (4 bytes)"},
		{"in assembly, behind a pragma", "", hidden(`.pragma \"nounroll\"; .global .u32`), "hidden (4 bytes)"},
		{"in assembly, behind a comment", "", hidden(`.global /* .local */ .u32 // .local\n`), "hidden (4 bytes)"},
		{"in assembly, within what looks like a comment", "", hidden(`.pragma \"/*\"; .pragma \"*/\"; .global .u32`),
			"hidden (4 bytes)"},
		{"in assembly, weak and aligned", "", hidden(`.global .align 16 .v4 .u32`), "hidden (16 bytes)"},
		{"in assembly, named like a string", "", strings.ReplaceAll(hidden(".global .u32"), "hidden", "$str"),
			"$str (4 bytes)"},
		{"in assembly, outside of the kernel", "", `= 1.f; asm volatile("ret; } .global .u32 hidden; .visible .entry ` +
			`k2(.param .u64 p) { st.global.u32 [hidden], 1;" ::: "memory")`, "hidden (4 bytes)"},
		{"local memory in assembly", "",
			strings.NewReplacer("ld.global", "ld.local", "st.global", "st.local").Replace(hidden(".local .u32")), ""},

		{"the heap", "", "= *(float*)malloc(64)", cubin.Heap},
		{"the heap by new", "", "= *(new float[16])", cubin.Heap},
		{"the heap, aligned", `extern "C" __device__ void* __nv_aligned_device_malloc(size_t, size_t);`,
			"= *(float*)__nv_aligned_device_malloc(64, 64)", cubin.Heap},
		{"the heap, given back", "", "= 1; free(x)", cubin.Heap},
		{"the heap in assembly", "", `= 1.f; asm volatile("{ .reg .b64 p; .param .b64 n, r; st.param.b64 [n], 64; call ` +
			`(r), malloc, (n); ld.param.b64 p, [r]; }" ::: "memory"); if (x[1] > 2) free(malloc(8))`, cubin.Heap},
		{"an own function of that name", "namespace n { __device__ float malloc(float v) { return v * v; } }",
			"= n::malloc(x[1])", ""},

		{"constant memory", "__constant__ " + tableOf4, "= table[threadIdx.x & 3]", ""},
		{"constant memory by a pointer", "__constant__ " + tableOf4 + " __device__ __noinline__ float at(const float* t, " +
			"int i) { return t[i]; }", "= at(table, threadIdx.x & 3)", ""},
		{"shared memory", "", "= [] { __shared__ float s[32]; s[threadIdx.x] = 1.f; __syncthreads(); return s[0]; }()", ""},
		{"a constant of a namespace", "namespace n { constexpr int SIZE = 4; __device__ int at(const int& i) { return i; } }",
			"= n::at(n::SIZE)", ""},
		{"a folded zero", "enum class M { A, B }; constexpr M MODE = M::A; template <M m> __device__ float f(float x) { " +
			"return m == M::A ? x : 0; }", "= f<MODE>(2.f)", ""},
		{"a folded zero of a class", "template <class T> struct S { static constexpr bool B = false; }; template <class T> " +
			"constexpr bool S<T>::B;", "= S<int>::B ? 1.f : 2.f", ""},
		{"never used", "__device__ int kept; __device__ float big[1 << 20];", "= 2", ""},
		{"a table", "__device__ " + tableOf4, "= table[threadIdx.x & 3]", ""},
		{"a const table of 2 KiB", "__device__ const float table[512] = {1, 2, 3};", "= table[threadIdx.x & 511]", ""},
		{"a constexpr table of 64 KiB", "__device__ constexpr float table[1 << 14] = {1, 2, 3};", "= table[threadIdx.x]", ""},
		{"a const table of a function", "",
			"= [](int i) { static constexpr float t[600] = {1, 2, 3}; return t[i]; }(threadIdx.x)", ""},
		{"a table whose place is stored", "__device__ " + tableOf4,
			"= table[threadIdx.x & 3]; *(const float**)(x + 64) = table", ""},
		{"a text", "", `= "some text that is long enough"[threadIdx.x & 15]`, ""},
		{"cosine of anything", "", "= cosf(x[threadIdx.x])", ""},
		{"sine of a double", "", "= sin((double)x[threadIdx.x])", ""},
		{"virtual functions", "struct A { __device__ virtual float f(float) const { return 1; } }; struct B : A { " +
			"__device__ float f(float v) const override { return v; } };",
			`= 1; A a; B b; const A* p = x[1] > 2 ? &a : (const A*)&b; asm volatile("" : "+l"(p)); x[2] = p->f(3)`, ""},
		{"a table of functions", "__device__ __noinline__ float f(float v) { return v * 2; } __device__ __noinline__ float " +
			"g(float v) { return v * 3; } __device__ float (*const both[2])(float) = {f, g};",
			"= both[threadIdx.x & 1](x[3])", ""},
		{"printing", "", `= 1.f; if (x[1] > 2) printf("%d %s\n", 3, "text")`, ""},
	}
	c, err := nvrtc.Open(config(t).Library)
	if err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"sm_80", "sm_90a"} {
		for _, tt := range tests {
			t.Run(arch+" "+tt.name, func(t *testing.T) {
				out := compiled(t, c, arch, fmt.Sprintf(element, tt.before, tt.use))
				p, err := cubin.Inspect(out.Cubin)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.Join(state(p, out.PTX), ", "); got != tt.want {
					t.Errorf("%q, expected %q: %+v in\n%s", got, tt.want, p, out.PTX)
				}
				if complaint := foreignCalls(p); complaint != "" {
					t.Error(complaint)
				}
			})
		}
	}
}

// TestCounters: a kernel does not read what tells one call from another, whatever hides it in the source; clocks and
// names that only look alike are allowed.
func TestCounters(t *testing.T) {
	reads := func(register string) string {
		return fmt.Sprintf(`= 1.f; unsigned long long v; asm volatile("mov.u64 %%0, %s;" : "=l"(v)); if (v) x[0] = 2`,
			register)
	}
	tests := []struct{ name, before, use, want string }{
		{"the launch's number", "", reads("%%gridid"), "%gridid"},
		{"the graph", "", reads("%%current_graph_exec"), "%current_graph_exec"},
		{"a performance monitor", "", reads("%%pm3_64"), "%pm3_64"},
		{"by macros", "#define JOIN(a, b) #a #b", strings.Replace(reads("+"), `+`, `" JOIN(%%gri, did) "`, 1), "%gridid"},
		{"two", "", reads("%%gridid") +
			`; unsigned w; asm volatile("mov.u32 %0, %%pm0;" : "=r"(w)); x[1] = w`, "%gridid, %pm0"},
		{"the clock", "", "= clock64()", ""},
		{"the global timer", "", reads("%%globaltimer"), ""},
		{"a name of its own", "__device__ __noinline__ float gridid(float v) { return v * 3; }", "= gridid(x[1])", ""},
	}
	// In front of its parameters a kernel finds what the driver knows of the launch: on sm_90 its number 480 bytes before.
	beside := func(at string) string {
		return fmt.Sprintf(`= 1.f; unsigned v; asm volatile("ld.param.u32 %%0, %s;" : "=r"(v)); x[1] = v`, at)
	}
	const parts = `extern "C" __global__ void parts(const __grid_constant__ int n, int* y) { y[0] = (&n)[%s]; }`
	tests = append(tests, []struct{ name, before, use, want string }{
		{"the launch's number, in front of the parameters", "", beside("[k_param_0+-480]"), "[k_param_0+-480]"},
		{"the same, all the way round", "", beside("[k_param_0+18446744073709551136]"), "[k_param_0+18446744073709551136]"},
		{"the same, in C++", fmt.Sprintf(parts, "-120"), "= 1.f", "[parts_param_0+-480]"},
		{"by an index, which may be one of an array", fmt.Sprintf(parts, "y[1]"), "= 1.f", ""},
		{"a parameter", "", beside("[k_param_0+4]"), ""},
	}...)
	p := open(t, config(t))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out, err := p.Compile(t.Context(), fmt.Sprintf(element, tt.before, tt.use))
			if err != nil {
				t.Fatal(err)
			}
			want, why := "reads "+tt.want, ": a kernel may not know one call from another"
			if strings.HasPrefix(tt.want, "[") {
				want, why = "ld.param of "+tt.want, "inside it"
			}
			refused := strings.HasPrefix(out.Failure, want) && strings.HasSuffix(out.Failure, why)
			if tt.want == "" && out.Failure != "" || tt.want != "" && !refused {
				t.Errorf("%q, expected %q...%q", out.Failure, want, why)
			}
		})
	}
}

// TestLimits: the author is told about programs that are too large or call forbidden driver functions.
func TestLimits(t *testing.T) {
	p := open(t, config(t))
	const reads = "%s\nextern \"C\" __global__ void k(float* x) { x[0] = big[(int)x[1]]; }\n"
	for _, tt := range []struct{ name, source, failure, state string }{
		{"a table of 17 MiB", fmt.Sprintf(reads, "__device__ const float big[17 << 18] = {1};"), "at most 16777216", ""},
		{"a table of 15 MiB", fmt.Sprintf(reads, "__device__ const float big[15 << 18] = {1};"), "", ""},
		{"a variable of 6 GiB", fmt.Sprintf(reads, "__device__ float big[6l << 28];"),
			"variables of 6442450944 bytes: at most 16777216", ""},
		{"a variable of 16 MiB", fmt.Sprintf(reads, "__device__ float big[16 << 18];"), "", "big (16777216 bytes)"},
		{"more constant memory than there is", fmt.Sprintf(reads, "__constant__ float big[1 << 15] = {1};"),
			"more than 65536 bytes of __constant__", ""},
		{"launches from the device",
			`extern "C" __device__ void* cudaGetParameterBufferV2(void*, dim3, dim3, unsigned);` + "\n" +
				fmt.Sprintf(kernel, "x[0] = *(float*)cudaGetParameterBufferV2(0, dim3(1), dim3(1), 0);"),
			"cudaGetParameterBufferV2", ""},
		{"no such function", "extern \"C\" __device__ int elsewhere(int);\n" + fmt.Sprintf(kernel, "x[0] = elsewhere(1);"),
			"elsewhere", ""},
		{"printing", fmt.Sprintf(kernel, `if (x[0] > 1) printf("%g\n", x[0]);`), "", ""},
		{"asserting", `extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);` +
			"\n" +
			fmt.Sprintf(kernel, `if (x[0] > 1) __assertfail("a", "b", 3, "c", 1);`), "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := compileOne(t, p, tt.source)
			if !strings.Contains(out.Failure, tt.failure) || (out.Failure == "") != (tt.failure == "") || out.State != tt.state {
				t.Errorf("failure %q, state %q: expected %q, %q", out.Failure, out.State, tt.failure, tt.state)
			}
		})
	}
}

func TestStrangers(t *testing.T) {
	for want, calls := range map[string][]string{
		"":                              {"vprintf", "__assertfail", "malloc"},
		"calls cnpGetDevice, somebody:": {"cnpGetDevice", "somebody", "vprintf"},
	} {
		if got := foreignCalls(cubin.Program{Calls: calls}); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%v: %q, expected %q", calls, got, want)
		}
	}
}
