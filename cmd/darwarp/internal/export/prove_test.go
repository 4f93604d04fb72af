package export

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"darwarp/kernels"
	"darwarp/kernels/source"
)

// nvcc is the real one, or the test is skipped.
func nvcc(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("DARWARP_NVCC"); path != "" {
		return path
	}
	path, err := exec.LookPath("nvcc")
	if err != nil {
		t.Skip("not tested: no nvcc: name one in DARWARP_NVCC: what it makes of an export is not looked at")
	}
	return path
}

// TestProve: of built-in families, with tensor maps and with several kernels, and of a source with variables and types
// of its own, nvcc makes no code of the host.
func TestProve(t *testing.T) {
	program := nvcc(t)
	own := axpy(t, kernels.FP32)
	own.Job.Source = strings.Replace(own.Job.Source, "extern", ownTypes+"extern", 1)
	for name, k := range map[string]Kernel{"gemm": gemm(t), "maps": boxes(t, kernels.BF16, 1),
		"attention": attentionPortfolio(t).Kernels[0], "own": own} {
		p, err := Prove(context.Background(), program, func(dir string) error { return Write(dir, k) }, k)
		if err != nil || p.Units != 1 {
			t.Errorf("%s: %+v: %v", name, p, err)
		}
	}
}

// ownTypes is all that a source may have besides kernels.
const ownTypes = `
#define TWICE(x) ((x) + (x))
#if 1
struct Pair { float a, b = 1.f; static constexpr int N = TWICE(2); __device__ float sum() const { return a + b; } };
#endif
constexpr int half_of(int n) { return n / 2; }
constexpr int HALF = half_of(8);
template <class T, int N> struct Row { T at[N]; __device__ T& operator[](int i) { return at[i]; } };
template <class T> constexpr T third = T(1) / 3;
static const int four = 4;
__constant__ float constants[4] = {1, 2, 3, 4};
__device__ float use(int i) { Row<float, Pair::N> r; r[i & 3] = HALF * third<float> + constants[i & 3]; return r[i & 1] + four; }
extern "C" __global__ void another(float* x, Pair p) { x[0] = use(int(p.sum())); }
`

// TestHostObject: what got past the reading of a source would be found in the object.
func TestHostObject(t *testing.T) {
	program := nvcc(t)
	k := axpy(t, kernels.FP32)
	u, err := k.unit("kernel_0", "kernel.cu")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ text, why string }{
		"initialiser": {"extern \"C\" int system(const char*); static int p = system(\"true\");", "before main"},
		"constructor": {"__attribute__((constructor)) static void c() { volatile int x = 0; }", "before main"},
		"destructor":  {"__attribute__((destructor)) static void c() { volatile int x = 0; }", "before main"},
		"section": {"static void c() {}\n__attribute__((used, section(\".init_array\"))) " +
			"static void (*p)() = c;", "before main"},
		"assembly":    {"asm(\".pushsection .init_array,\\\"aw\\\"\\n.quad 0\\n.popsection\");", "before main"},
		"function":    {"extern \"C\" int puts(const char*) { return 0; }", "puts"},
		"weak":        {"extern \"C\" __attribute__((weak)) int open64(const char*, int, ...) { return 0; }", "open64"},
		"variable":    {"int environ_[4];", "environ_"},
		"call":        {"__host__ __device__ int f(const char* s) { return system(s); }", "the host calls system"},
		"only nvcc's": {"#ifdef __NVCC__\nint only;\n#endif", "only"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := written(t, func(dir string) error { return Write(dir, k) })
			text := []byte(k.Job.Source + tt.text + "\n")
			if err := os.WriteFile(filepath.Join(dir, "kernel.cu"), text, 0o600); err != nil {
				t.Fatal(err)
			}
			err := builder{context.Background(), program, dir, t.TempDir(), k}.hostless(u)
			if !errors.As(err, new(*UnprovenError)) || !strings.Contains(err.Error(), tt.why) {
				t.Errorf("%v, expected %s", err, tt.why)
			}
			if _, err := source.Read(tt.text); err == nil {
				t.Error("the source is not refused")
			}
		})
	}
}

// TestBuilt: nvcc builds every file of an export that it is to build.
func TestBuilt(t *testing.T) {
	program := nvcc(t)
	k := axpy(t, kernels.FP32)
	k.As = []string{"header", "torch"}
	dir := written(t, func(dir string) error { return Write(dir, k) })
	b := builder{context.Background(), program, dir, t.TempDir(), k}
	for _, file := range []string{"bench.cu", "header_bench.cu", "kernel_0.cu", "torch_reference.cu"} {
		if _, err := b.run("-c", file); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
