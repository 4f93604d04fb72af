package source

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// kernel is a source that is right, for what is put before it.
const kernel = "\nextern \"C\" __global__ void __launch_bounds__(256) k(const float* x, float* y, int n) { y[0] = " +
	"x[0]; }\n"

// TestDevice: what device code is written with.
func TestDevice(t *testing.T) {
	for name, text := range map[string]string{
		"include": "#include <darwarp/darwarp.cuh>\n# include <cuda_fp16.h> // why\n",
		"alias": "using T = __half;\ntypedef unsigned u32;\nusing namespace nvcuda;\n" +
			"namespace w = nvcuda::wmma;",
		"constants": "constexpr int N = 4, M = N * (N + 1);\nstatic const int A = 1 << 4;\n" +
			"const float B = -1.5e-3f;",
		"table": "constexpr float table[2][2] = {{1, 2}, {3, 4}};\n__constant__ int c[2] = {1, 2};\n" +
			"__device__ float f;\n__managed__ int m;",
		"shared": "extern __shared__ char memory[];\nextern __shared__ __align__(128) unsigned char more[];",
		"struct": "struct alignas(16) V { float x, y; float z[2] = {}; int bits : 3; __device__ float s() " +
			"const { return x; } };",
		"class": "class C {\npublic:\n  C() = default;\n  __device__ explicit C(int n) : n_(n), m_{n} {}\n" +
			"private:\n  int n_, m_;\n};",
		"members": "struct M { static constexpr int N = 3; static const int K = 5; enum { A, B }; using T = " +
			"int; struct Deep {}; };",
		"operators": "struct O { __device__ O& operator=(const O&) { return *this; } __device__ float " +
			"operator()(int i) const { return i; }\n  __device__ bool operator<(O) const; __device__ operator float() const { " +
			"return 0; } };\n__device__ O operator+(O a, O b) { return a; }",
		"inheritance": "struct B {};\ntemplate <class T, int N = (3 > 2)> struct D final : B, public S<T> {};",
		"template": "template <class T, int N, typename = std::enable_if_t<(N > 1)>>\n" +
			"__device__ __forceinline__ auto f(T (&a)[N], T b = T()) -> decltype(a[0] + b) { return a[0]; }",
		"specialised": "template <> struct V<float, 4> { using type = float4; };\n" +
			"template <class T> constexpr T pi = T(3.14);",
		"nested templates": "template <template <class> class A, class B = X<Y<int>>> __device__ void g() {}",
		"constexpr function": "constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }\n" +
			"static_assert(ceil_div(3, 2) == 2, \"\");",
		"lambda in a function": "__device__ float h(float x) { auto f = [&](float y) { return y; }; if (x > 0) { return " +
			"f(x); } return 0; }",
		"assembly":    "__device__ void s() { asm volatile(\"bar.sync 0;\" ::: \"memory\"); }",
		"namespaces":  "namespace a::b { __device__ int x; namespace { constexpr int y = 1; } inline namespace c {} }",
		"blocks of C": "extern \"C\" { __device__ int z; __global__ void other() {} }",
		"macros": "#define N 4\n#define CEIL(a, b) (((a) + (b) - 1) / (b))\n" +
			"#define EACH(x) \\\n    for (int i = 0; i < (x); ++i)\nconstexpr int M = CEIL(N, 3);\n" +
			"__device__ void e() { EACH(N) {} }",
		"macro of a kernel": "#define KERNEL(NAME) extern \"C\" __global__ void NAME(int* x)\nKERNEL(a) { x[0] = 1; }\n" +
			"KERNEL(b) {}",
		"settled conditional": "#define VEC 4\n#if VEC == 4\nusing W = float4;\n#elif VEC == 2\nusing W = float2;\n#else\n" +
			"int host();\n#endif\n#if 0\nint host() { return 1; }\n#endif\n#ifdef VEC\n#endif",
		"pragmas": "#pragma once\n__device__ void p() {\n#pragma unroll\n  for (;;) {}\n  #pragma unroll 4\n" +
			"  for (;;) {}\n}",
		"words in texts": "// #ifdef __NVCC__ int system();\n/* __host__ */ __device__ void q() { printf(\"#include " +
			"__host__ { ' \\\" %d\", '\"', '\\''); }",
		"numbers": "constexpr double d = 0x1.8p-3 + 1'000 + 1e+5 + .5f;",
		"attributes": "[[nodiscard]] __device__ int r() { return 1; }\n__device__ int u([[maybe_unused]] int x) { " +
			"return 1; }",
		"deleted":        "struct X { X(const X&) = delete; };",
		"alias template": "template <class T, int N> using Word = typename Words<T, N>::type;",
		"forward":        "struct F;\nenum E : int { A = 1 << 2 };\nenum class G { B };\nunion U { float f; int i; };",
		"tensor map":     "extern \"C\" __global__ void t(const __grid_constant__ CUtensorMap map) {}",
	} {
		if why := Check(text + kernel); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
}

// hostile runs a program wherever code of the host runs.
const hostile = "static int p = system(\"x\");"

// TestHost: what some compiler may make code of the host of, or reads in another way than NVRTC.
func TestHost(t *testing.T) {
	for name, tt := range map[string]struct{ text, why string }{
		"the issue's": {"#ifdef __NVCC__\nextern \"C\" int system(const char*); static int p = system(\"x\");\n#endif",
			"#if on __NVCC__, which the source does not define"},
		"NVRTC":                    {"#ifndef __CUDACC_RTC__\n" + hostile + "\n#endif", "#if on __CUDACC_RTC__"},
		"architecture":             {"#if __CUDA_ARCH__ >= 900\n#endif", "__CUDA_ARCH__"},
		"unknown":                  {"#ifndef BLOCK\n#define BLOCK 1\n#endif", "#if on BLOCK"},
		"defined":                  {"#if defined(_MSC_VER)\n#endif", "#if on"},
		"has_include":              {"#if __has_include(<stdio.h>)\n#endif", "#if on"},
		"through a macro":          {"#define A __NVCC__\n#if A\n#endif", "#if on"},
		"elif":                     {"#if 0\n#elif __clang__\n" + hostile + "\n#endif", "#if on"},
		"percent":                  {"%:if 1\n%:endif", `"%:"`},
		"trigraph":                 {"?\x3f=ifdef X\n?\x3f=endif", "different ways"},
		"trigraph in a comment":    {"// ?\x3f/\n" + hostile, "different ways"},
		"splice in a comment":      {"// a \\\n" + hostile, "ends in a backslash"},
		"splice with blanks":       {"// a \\ \n" + hostile, "different ways"},
		"spliced word":             {"#def\\\nine A", "a backslash"},
		"splice outside":           {"__device__ int a; \\\nint b;", "a backslash"},
		"raw string":               {"__device__ void f() { const char* s = R\"(\n#ifdef A)\"; }", "raw string"},
		"line":                     {"#line 3 \"x\"", "#line"},
		"undef":                    {"#define A 1\n#undef A", "#undef"},
		"error":                    {"#error x", "#error"},
		"include of a file":        {"#include \"x.h\"", "#include takes"},
		"include by macro":         {"#define X <x>\n#include X", "#include takes"},
		"include after a macro":    {"#define X 1\n#include <mma.h>", "comes before"},
		"include in a function":    {"__device__ void f() {\n#include <mma.h>\n}", "between declarations"},
		"include in a declaration": {"static int\n#include <mma.h>\n;", "between declarations"},
		"pragma":                   {"#pragma GCC poison x", "#pragma is for"},
		"push_macro":               {"#pragma push_macro(\"x\")", "#pragma is for"},
		"_Pragma":                  {"__device__ void f() { _Pragma(\"x\") }", "_Pragma is not allowed"},
		"pasting":                  {"#define P(a, b) a##b\nP(sta, tic) int p = 1;", "## is not allowed"},
		"strings of words":         {"#define P(a) #a", "# is not allowed"},
		"variadic":                 {"#define P(...) __VA_ARGS__", "expected parameters"},
		"a keyword":                {"#define static system(\"x\"),", "the language's own"},
		"__device__": {"#define __device__\n__device__ int f() { return system(\"x\"); }",
			"the language's own"},
		"defined twice":          {"#define A 1\n#define A 2", "defined already"},
		"used before":            {"constexpr int a = A;\n#define A 2", "line 1 has used it"},
		"itself":                 {"#define A A", "names itself"},
		"macro of a macro's end": {"#define F(x) x\n#define G F\nG(int p = 1;)", "without its arguments"},
		"expands for ever":       {bomb(), "expands to more than"},
		"variable":               {"extern \"C\" int system(const char*);\n", "extern"},
		"initialiser":            {hostile, "static int p"},
		"plain variable":         {"int p;", "int p"},
		"const":                  {"const int p = f();", "const int p"},
		"const of a class":       {"const int p = s + 1;", "const int p"},
		"reference":              {"const int& p = system(\"x\");", "const int"},
		"second of two":          {"const int a = 1, p = f();", "const int a"},
		"function":               {"int f() { return 1; }", "int f"},
		"main":                   {"int main() { return 1; }", "int main"},
		"__host__":               {"__host__ __device__ int f() { return 1; }", "__host__"},
		"static member":          {"struct S { static inline int q = system(\"x\"); };", "static inline int q"},
		"member function":        {"struct S { int f() { return 1; } };", "int f"},
		"constructor":            {"struct S { S() { f(); } };", "S ("},
		"destructor":             {"struct S { ~S() { f(); } };", "~ S"},
		"member of a template":   {"template <class T> struct S { static T q; };", "static T q"},
		"deep": {"namespace a { namespace b { extern \"C\" { struct S { struct T { static int q; }; " +
			"}; } } }", "static int q"},
		"through a macro's text": {"#define M struct S { static inline int q = system(\"x\"); };\nM",
			"static inline int q"},
		"through an argument":     {"#define ID(x) x\nID(int p = system(\"x\"); __device__) int q;", "int p"},
		"dropped specifier":       {"#define DROP(x)\nDROP(__device__) int f() { return 1; }", "int f"},
		"specifier in brackets":   {"int f(int x = sizeof(__device__)) { return 1; }", "int f"},
		"two parameters":          {"template <int a = N < 2> int f(bool b) { return 1; }", "template"},
		"host header's macro":     {"NV_IF_TARGET(NV_IS_HOST, (int p = system(\"x\");))", "NV_IF_TARGET is not allowed"},
		"macro of a system":       {"__BEGIN_DECLS", "__BEGIN_DECLS is not allowed"},
		"statements in a call":    {"__device__ int M(int p = system(\"x\"); __device__) ;", "not expected within"},
		"assembly of the file":    {"asm(\".section .init_array\");", "asm"},
		"assembly in constexpr":   {"constexpr int f(int x) { asm(\"nop\"); return x; }", "assembly"},
		"assembly in an argument": {"__device__ int f(int x = ({ asm(\"nop\"); 1; }));", "not expected within"},
		"a name for assemblers":   {"__device__ int f() asm(\"puts\");", "asm is not expected"},
		"a kernel's name":         {"__global__ void f() __asm__(\"puts\");", "__asm__ is not expected"},
		"a variable's name":       {"__device__ int f __asm(\"x\\n.section .init_array\") = 1;", "__asm is not expected"},
		"a variable with a class": {"__device__ struct S { int x; } s asm(\"x\");", "asm is not expected"},
		"nothing":                 {"(0);", "at the beginning"},
		"attribute":               {"__attribute__((constructor)) __global__ void c() {}", "__attribute__"},
		"attribute in brackets":   {"[[gnu::constructor]] __global__ void c() {}", "an attribute"},
		"two attributes":          {"[[nodiscard, gnu::constructor]] __global__ void c() {}", "an attribute"},
		"declspec":                {"__declspec(allocate(\".CRT$XCU\")) __device__ int x;", "__declspec"},
		"virtual":                 {"struct S { virtual __device__ void f() {} };", "virtual"},
		"instantiation":           {"template <class T> struct S {};\ntemplate struct S<int>;", "template struct"},
		"instantiated constexpr": {"template <class T> constexpr int f(T) { return 1; }\ntemplate int f<int>(int);",
			"template int"},
		"extern constexpr":         {"extern constexpr int (*const p)(int) = f;", "extern constexpr"},
		"lambda":                   {"constexpr auto l = [](int x) { return x; };", "not expected in a value"},
		"lambda in braces":         {"constexpr S l = {1, [] { return 2; }};", "not expected"},
		"a name of the host's":     {"extern \"C\" __device__ int puts(const char*) { return 0; }", "is for kernels"},
		"a name in a block":        {"extern \"C\" { __device__ int puts(const char*) { return 0; } }", "is for kernels"},
		"operator new":             {"__device__ void* operator new(size_t n);", "operator new"},
		"thread_local":             {"__device__ thread_local int x;", "thread_local"},
		"copy with its class":      {"struct S { int x; } s = f();", "expected ;"},
		"variable with its class":  {"struct S { int x; } s = {f()};", "{ is not expected"},
		"closes what is around it": {"}\n" + hostile + "\nnamespace x {", "} without its beginning"},
		"unclosed":                 {"namespace x {", "{ without its end"},
		"import":                   {"import <vector>;", "import"},
		"linux":                    {"struct L { int linux; };", "linux"},
		"file's name":              {"constexpr int n = sizeof(__FILE__);", "__FILE__"},
		"control character":        {"// \x1b]0;x\a", "U+001B"},
		"reversed text":            {"// \u202e", "U+202E"},
		"not UTF-8":                {"// \xff", "expected printable"},
		"lone carriage return":     {"// a\rint p;", "U+000D"},
		"letters of other scripts": {"constexpr int \u0430 = 1;", "expected C++"},
		"escaped letter":           {"constexpr int \\u0430 = 1;", "a backslash"},
		"quote behind a number":    {"#define DROP(x)\nDROP(0'\"') int p = 1; DROP('\"')", "int p"},
		"unclosed comment":         {"/* a", "without an end"},
		"unclosed text":            {"__device__ const char* s = \"a\n\";", "without its end"},
	} {
		text := tt.text
		if !strings.HasPrefix(name, "unclosed") {
			text += kernel
		}
		if why := Check(text); !strings.Contains(why, tt.why) || why == "" {
			t.Errorf("%s: %q, expected %q", name, why, tt.why)
		}
	}
}

// bomb is a source whose macros double what they expand to.
func bomb() string {
	var b strings.Builder
	b.WriteString("#define a0 1, 1\n")
	for i := range 40 {
		fmt.Fprintf(&b, "#define a%d a%d, a%d\n", i+1, i, i)
	}
	return b.String() + "constexpr int x[] = {a40};"
}

func TestRead(t *testing.T) {
	s, err := Read("#include <mma.h>\n#include <mma.h>\n#include <darwarp/darwarp.cuh>\n#define A 1\n#define F(x) x\n" +
		"template <int N> __global__ void t() {}\n" + kernel)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.Includes, []string{"mma.h", "darwarp/darwarp.cuh"}) ||
		!slices.Equal(s.Macros, []string{"A", "F"}) ||
		!slices.Equal(s.Kernels, []string{"t", "k"}) {
		t.Errorf("%+v", s)
	}
}

// FuzzRead: whatever surrounds it, a variable of the host at the end of a source is found.
func FuzzRead(f *testing.F) {
	for _, s := range []string{kernel, "#define A(x) x\n", "template <class T> struct S {", "#if 0\n", "/*", "\"",
		"namespace a {\n", "__device__"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if Check(text) == "" && Check(text+"\nint p = system(\"x\");\n") == "" {
			t.Errorf("missed after %q", text)
		}
	})
}
