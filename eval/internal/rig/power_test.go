package rig

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/env"
	"darwarp/eval/internal/cases"
	"darwarp/eval/internal/device"
	"darwarp/kernels"
	"darwarp/templates"
)

// A row sum and an elementwise function, of which the cases of TestPower are variants.
const (
	sumProblem = `name = "sum"
dims = ["rows", "cols"]
dtypes = ["fp32", "bf16"]
flops = "rows * cols"
bytes = "elem * rows * cols"
tensor = [
  { name = "x", role = "in", shape = ["rows", "cols"] },
  { name = "y", role = "out", shape = ["rows"], dtype = "fp32" },
]
[[workload]]
name = "w"
dims = { rows = ROWS, cols = COLS }
[check]
reduction = "cols"
exact = false
shapes = [{ rows = 1, cols = 1 }]
CHECK
[reference]
file = "reference.cu"
entry = "reference"
grid = ["rows"]
block = ["32"]
`
	sumReference = `extern "C" __global__ void reference(const T* x, double* y, float* s, int rows, int cols) {
  double sum = 0, size = 0;
  for (size_t i = threadIdx.x; i < cols; i += 32) { const double v = darwarp::to_float(x[size_t(blockIdx.x) * cols + i]); sum += v, size += fabs(v); }
  for (int d = 16; d; d /= 2) sum += __shfl_down_sync(~0u, sum, d), size += __shfl_down_sync(~0u, size, d);
  if (threadIdx.x == 0) y[blockIdx.x] = sum, s[blockIdx.x] = float(SCALE);
}`
	mapReference = `extern "C" __global__ void reference(const T* x, double* y, float* s, int rows, int cols) {
  for (size_t i = threadIdx.x; i < cols; i += 32) { const double v = darwarp::to_float(x[size_t(blockIdx.x) * cols + i]); y[blockIdx.x * cols + i] = 2 * v, s[blockIdx.x * cols + i] = 2 * fabs(v); }
}`
	maxReference = `extern "C" __global__ void reference(const T* x, double* y, float* s, int rows, int cols) {
  double top = -1e300;
  for (size_t i = threadIdx.x; i < cols; i += 32) top = fmax(top, double(darwarp::to_float(x[size_t(blockIdx.x) * cols + i])));
  for (int d = 16; d; d /= 2) top = fmax(top, __shfl_down_sync(~0u, top, d));
  if (threadIdx.x == 0) y[blockIdx.x] = top, s[blockIdx.x] = float(fabs(top));
}`
)

// powersOf is what a session would find out about its check.
func powersOf(t *testing.T, cfg Config) (map[string]cases.Power, error) {
	t.Helper()
	p := &Rig{Cfg: cfg, Log: slog.New(slog.DiscardHandler)}
	if err := p.openCPU(t.Context(), env.Locate()); err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	reference, err := p.compileOurs(t.Context(), "the reference kernel", cfg.Reference)
	if err != nil {
		t.Fatal(err)
	}
	return p.provePower(t.Context(), device.Open{}, reference, p.casesWanted(t.Context()))
}

// TestPower plants problems whose tolerance is too wide for the inputs that they name, or too wide for any.
func TestPower(t *testing.T) {
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("THE POWER OF THE CHECK IS NOT PROVED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	for _, c := range []struct {
		name             string
		rows, cols       string
		check, reference string
		dtype, acc       kernels.DType
		from, to         string // in the problem
		bank             string // class; empty: refused
		refused          bool   // may be, too
		tails            bool   // needles are gated beside the bank
		whole            float64
	}{
		{name: "rows of normal numbers", rows: "64", cols: "1000", bank: "normal"},
		{name: "a sum of 2^22 numbers of both signs", rows: "1", cols: "4194304", check: `inputs = ["cancel"]`,
			bank: "needles"},
		{name: "a sum of 2^22 numbers of one sign", rows: "1", cols: "4194304", check: `inputs = ["uniform"]`,
			bank: "uniform", tails: true},
		{name: "16384 terms in bf16", rows: "256", cols: "16384", check: `accumulate = ["bf16"]`, dtype: kernels.BF16,
			acc: kernels.BF16, bank: "needles", refused: true},
		{name: "16384 terms in fp32", rows: "32", cols: "16384", dtype: kernels.BF16, bank: "normal"},
		{name: "no needles to turn to", rows: "32", cols: "16384",
			check: "accumulate = [\"bf16\"]\nwithout = [\"needles\"]\ninputs = [\"normal\"]", acc: kernels.BF16},
		{name: "a scale a thousand times too large", rows: "32", cols: "512", check: `inputs = ["normal"]`,
			reference: strings.Replace(sumReference, "SCALE", "3e5 * size", 1)},
		{name: "one number", rows: "1", cols: "1", bank: "normal"},
		{name: "the largest of a row", rows: "64", cols: "640",
			check: `terms = [{ tensor = "x", dim = "cols", neutral = "-inf" }]`, reference: maxReference, bank: "normal"},
		{name: "nothing is added", rows: "40", cols: "64", reference: mapReference, from: `shape = ["rows"], dtype = "fp32"`,
			to: `shape = ["rows", "cols"]`, check: "terms = []", bank: "normal"},
		{name: "ints", rows: "8", cols: "64", from: `dtype = "fp32" }`, to: `dtype = "int32" }`, check: `inputs = ["exact"]`,
			bank: "exact"},
		{name: "ints without a range", rows: "8", cols: "64", from: `"cols"] }`, to: `"cols"], dtype = "int32" }`,
			check: `inputs = ["exact"]`, bank: "exact", whole: 1 << 24, // 64 of them are below 2^30
			reference: strings.NewReplacer("const T*", "const int*", "darwarp::to_float", "double", "SCALE", "size").
				Replace(sumReference)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := strings.NewReplacer("ROWS", c.rows, "COLS", c.cols, "CHECK", c.check).Replace(sumProblem)
			p, err := kernels.ParseProblem("problem.toml", []byte(strings.Replace(text, c.from, c.to, 1)))
			if err != nil {
				t.Fatal(err)
			}
			if c.dtype == "" {
				c.dtype = kernels.FP32
			}
			if c.reference == "" {
				c.reference = strings.Replace(sumReference, "SCALE", "size", 1)
			}
			cfg := Config{Kind: "cpu", Problem: p, Headers: templates.Include(), DType: c.dtype, Workloads: p.Workloads,
				Cache: "hot", Means: Means{Jobs: 1, CacheDir: testCache},
				Reference: "#include <darwarp/darwarp.cuh>\nusing T = " + c.dtype.CType() + ";\n" + c.reference}
			if c.acc != "" {
				cfg.Acc = []kernels.DType{kernels.FP32, c.acc}
			}
			powers, err := powersOf(t, cfg)
			if c.bank == "" {
				if !errors.Is(err, ErrUnfit) {
					t.Errorf("%v: expected that the session is refused", err)
				}
				return
			}
			if c.refused && errors.Is(err, ErrUnfit) { // as the needles of this session fell: never ordinary inputs
				return
			}
			if whole := powers["w"].Whole; whole != c.whole {
				t.Errorf("whole numbers to %g, expected %g", whole, c.whole)
			}
			if err != nil || powers["w"].Bank != c.bank || powers["w"].Tails != c.tails {
				t.Errorf("%+v, %v: expected a bank of class %s, tails %v", powers, err, c.bank, c.tails)
			}
		})
	}
}

// TestPowerOfHopperSums: the gate of gemm_fp8 tells what is missing though it allows for the sums of Hopper's tensor
// cores, at 8192 terms, on ordinary numbers.
func TestPowerOfHopperSums(t *testing.T) {
	if f := env.Locate().CXX; f.Path == "" {
		t.Skipf("THE POWER OF THE CHECK IS NOT PROVED: no C++ compiler (tried %s)", strings.Join(f.Tried, ", "))
	}
	b, err := templates.Builtin("gemm_fp8")
	if err != nil {
		t.Fatal(err)
	}
	p := b.Problem
	p.Check.Inputs = []string{"normal", "uniform"}
	acc := p.Accumulators(b.Families, nil)
	if !slices.Contains(acc, kernels.FP22) {
		t.Fatalf("sums in %v", acc)
	}
	loads := []kernels.Workload{{Name: "w", Dims: kernels.Dims{"m": 16, "n": 16, "k": 8192, "scale_m": 0, "scale_n": 0,
		"scale_k": 0}}}
	powers, err := powersOf(t, Config{Kind: "cpu", Problem: p, Headers: templates.Include(), DType: kernels.FP16,
		Workloads: loads, Cache: "hot", Means: Means{Jobs: 1, CacheDir: testCache}, Acc: acc,
		Reference: b.ReferenceSource(kernels.FP16)})
	if err != nil || powers["w"].Bank != "normal" || len(powers["w"].Unfit) > 0 {
		t.Errorf("%+v, %v: expected a bank of class normal, and none unfit", powers, err)
	}
}
