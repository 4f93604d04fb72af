package cpu

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"darwarp/eval/internal/check"
	"darwarp/eval/internal/cpu/inputs"
	"darwarp/eval/internal/device"
	"darwarp/eval/internal/gpu"
	"darwarp/kernels"
)

// harness is the GPU's trusted device code, compiled for this processor, without the part that asks a
// GPU's clocks.
func harness(t *testing.T) *program {
	t.Helper()
	source, _, found := strings.Cut(gpu.HarnessSource, "// dw_clock records")
	if !found {
		t.Fatal("harness.cu has changed: where does dw_clock begin?")
	}
	// arguments are words here
	for _, list := range []string{"Regions", "Refillings"} {
		source = strings.ReplaceAll(source, "const __grid_constant__ "+list+" all", "const "+list+" &all")
	}
	// test_bytes rounds floats of all exponents: of 16 bits, and a little above and below these.
	source += `#include <darwarp/fp8.cuh>
#include <darwarp/int4.cuh>
#include <darwarp/e2m1.cuh>
extern "C" __global__ void test_bytes(unsigned char *out, u64 n, int dtype, u32 low) {
  for (u64 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = byte_of(dtype, __uint_as_float((u32)i << 16 | low));
}
// test_cuda rounds likewise by CUDA's conversions.
extern "C" __global__ void test_cuda(unsigned char *out, u64 n, int dtype, u32 low, int saturate) {
  for (u64 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = __nv_cvt_float_to_fp8(__uint_as_float((u32)i << 16 | low), saturate ? __NV_SATFINITE : __NV_NOSAT, dtype == E4M3 ? __NV_E4M3 : __NV_E5M2);
}
template <class F> __device__ void widened(float *out, u32 code) {
  u32 ours[2], theirs[2], four = code | (255 - code) << 8 | (code ^ 0x55) << 16 | 0x7fu << 24;
  darwarp::halves_of<F>(four, ours), darwarp::converted_halves<F>(four, theirs);
  for (int k = 0; k < 4; k++) {
    F one;
    one.__x = (unsigned char)(four >> 8 * k);
    const float wanted = darwarp::to_float(one);
    const float a = __half2float(__ushort_as_half((unsigned short)(ours[k / 2] >> 16 * (k % 2))));
    const float b = __half2float(__ushort_as_half((unsigned short)(theirs[k / 2] >> 16 * (k % 2))));
    if (k == 0) out[code] = wanted;
    if ((a != wanted || b != wanted) && (wanted == wanted || a == a || b == b)) out[code] = -1e9f;
  }
}
// test_widen gives the numbers of all 256 codes as fp8.cuh has them, and -1e9 where its ways differ.
extern "C" __global__ void test_widen(float *out, int dtype) {
  if (blockIdx.x == 0 && dtype == E4M3) widened<__nv_fp8_e4m3>(out, threadIdx.x);
  if (blockIdx.x == 0 && dtype == E5M2) widened<__nv_fp8_e5m2>(out, threadIdx.x);
}
template <class T, int PART> __device__ void dequantised(float *out, u32 word, u32 zero) {
  const u32 two = darwarp::dequantised_pair<T, PART>(word, darwarp::ZeroPoint<T>(darwarp::magic_bits<T>(zero)), {T(-0.75f), T(-0.75f)});
  const float2 v = darwarp::unpack2<T>(two);
  out[PART] = v.x, out[PART + 4] = v.y;
}
// test_int4 makes eight numbers of a word for each thread; thread number i has the zero point i % 16.
extern "C" __global__ void test_int4(float *out, u32 word, int bf16) {
  float *to = out + 8 * threadIdx.x;
  const u32 zero = threadIdx.x % 16;
  if (bf16) dequantised<__nv_bfloat16, 0>(to, word, zero), dequantised<__nv_bfloat16, 1>(to, word, zero), dequantised<__nv_bfloat16, 2>(to, word, zero), dequantised<__nv_bfloat16, 3>(to, word, zero);
  else dequantised<__half, 0>(to, word, zero), dequantised<__half, 1>(to, word, zero), dequantised<__half, 2>(to, word, zero), dequantised<__half, 3>(to, word, zero);
}
template <class T> __device__ void placed(float *out, u32 word, u32 scale) {
  const darwarp::PlacedPairs<T> pairs(word);
  const u32 power = darwarp::power_pair<T>(scale), two[4] = {pairs.template pair<0>(), pairs.template pair<1>(), pairs.template pair<2>(), pairs.template pair<3>()};
  using Pair = typename darwarp::E2m1<T>::Pair;
  for (int part = 0; part < 4; ++part) {
    const Pair v = __hmul2(*reinterpret_cast<const Pair *>(&two[part]), *reinterpret_cast<const Pair *>(&power));
    out[part] = darwarp::to_float(v.x) * darwarp::E2m1<T>::SUM, out[part + 4] = darwarp::to_float(v.y) * darwarp::E2m1<T>::SUM;
  }
}
// test_turn is dw_turn without what needs a GPU.
extern "C" __global__ void test_turn(const Regions &left, u64 *counters, const Refillings &filled) {
  __shared__ u32 table[PALETTE];
  inspect(left, counters, (u64 *)table);
  refill(filled, table);
}
// test_e2m1 makes eight numbers of a word for each thread, of the least to the greatest scale that has all of them.
extern "C" __global__ void test_e2m1(float *out, u32 word, int bf16) {
  if (bf16) placed<__nv_bfloat16>(out + 8 * threadIdx.x, word, 127 - 17 + threadIdx.x % 25);
  else placed<__half>(out + 8 * threadIdx.x, word, 127 - 17 + threadIdx.x % 25);
}
`
	entries := kernels.Call{Launches: []kernels.Launch{{Entry: "dw_fill"}, {Entry: "dw_guard"}, {Entry: "dw_inspect"},
		{Entry: "dw_refill"}, {Entry: "dw_draw"}, {Entry: "test_bytes"},
		{Entry: "test_cuda"}, {Entry: "test_widen"}, {Entry: "test_int4"}, {Entry: "test_e2m1"}, {Entry: "test_turn"}}}
	return programOf(t, source, entries)
}

// sameRanges: numbers of a range are the same in both, within it, all of them when they are few, and powers
// of two in the class exact.
func sameRanges(t *testing.T, p *program) {
	const n, seed = 5000, 0x123456789abcdef
	for _, c := range []struct {
		d         kernels.DType
		low, high float64
		distinct  int // in the class exact
	}{
		{kernels.FP16, 0.25, 2, 4}, {kernels.BF16, 0.3, 5, 4}, {kernels.FP32, 0.0625, 1, 5}, {kernels.E8M0, 0.25, 4, 5},
		{kernels.E4M3, 0.25, 4, 5}, {kernels.E5M2, 1, 3, 2},
	} {
		for _, class := range []string{"exact", "normal", "zeros"} {
			one := kernels.Buffer{DType: c.d, Shape: []int{n}, Drawn: &kernels.Drawn{Low: c.low, High: c.high}}
			f, err := (&device.Case{Class: class, Buffers: []kernels.Buffer{one}}).Fill(0)
			if err != nil {
				t.Fatal(err)
			}
			theirs, ours := memory(t, n*c.d.Size()), make([]byte, n*c.d.Size())
			p.call(t, "dw_fill", theirs, n, uint64(gpu.DTypeCodes[c.d]), uint64(f.Classes), 0, seed, uint64(f.Inner),
				uint64(f.Len), 0, uint64(math.Float32bits(f.Low)), uint64(math.Float32bits(f.High)), 0, 0, 0)
			if err := inputs.Floats(ours, c.d, f, seed); err != nil {
				t.Fatal(err)
			}
			got, want, seen := make([]float64, n), make([]float64, n), map[float64]bool{}
			check.Decode(c.d, theirs, got)
			check.Decode(c.d, ours, want)
			for i, v := range want {
				slack := max(2*c.d.Roundoff(), 1e-5) // of a type that rounds, and of two libraries' logarithms
				if seen[v] = true; v < c.low-slack*math.Abs(c.low) || v > c.high*(1+slack) ||
					math.Abs(got[i]-v) > 2*slack*math.Abs(v) {
					t.Fatalf("%s %s number %d: %g here, %g there, of [%g, %g]", c.d, class, i, v, got[i], c.low, c.high)
				}
				if fraction, _ := math.Frexp(v); class == "exact" && (fraction != 0.5 || got[i] != v) {
					t.Fatalf("%s number %d: %g here, %g there, no power of two", c.d, i, v, got[i])
				}
			}
			if class == "exact" && len(seen) != c.distinct {
				t.Errorf("%s %s: %d numbers, expected %d", c.d, class, len(seen), c.distinct)
			}
		}
	}
}

// reachedRanges: where lines are of many classes those of a range go as far beyond it as they are to, in powers of two,
// in half of the lines and in no other class; numbers have either sign where they are to; both are the same in both.
func reachedRanges(t *testing.T, p *program) {
	const lines, length, seed = 512, 8, 0x123456789abcdef
	for _, class := range []string{device.Mixed, device.Striped, device.Rare, device.Lone, "exact", "normal"} {
		one := kernels.Buffer{DType: kernels.FP32, Shape: []int{lines, length},
			Drawn: &kernels.Drawn{Low: 0.5, High: 0.5001, Down: 3, Up: 5, Signed: true}}
		c := device.Case{Class: class, Buffers: []kernels.Buffer{one}, Mix: [][]string{{"normal", "zeros"}}}
		f, err := c.Fill(0)
		if err != nil {
			t.Fatal(err)
		}
		theirs, ours := memory(t, 4*lines*length), make([]byte, 4*lines*length)
		p.call(t, "dw_fill", theirs, lines*length, uint64(gpu.DTypeCodes[kernels.FP32]), uint64(f.Classes), 0, seed,
			uint64(f.Inner), uint64(f.Len), 0, uint64(math.Float32bits(f.Low)), uint64(math.Float32bits(f.High)),
			uint64(int64(f.Down)), uint64(f.Up), 1)
		if err := inputs.Floats(ours, kernels.FP32, f, seed); err != nil {
			t.Fatal(err)
		}
		got, want := make([]float64, lines*length), make([]float64, lines*length)
		check.Decode(kernels.FP32, theirs, got)
		check.Decode(kernels.FP32, ours, want)
		count, below := map[int]int{}, 0
		for i, v := range want {
			if math.Abs(got[i]-v) > 1e-5*math.Abs(v) {
				t.Fatalf("%s number %d: %g here, %g there", class, i, v, got[i])
			}
			_, power := math.Frexp(math.Abs(v))
			if _, first := math.Frexp(math.Abs(want[i/length*length])); power != first {
				t.Fatalf("%s: line %d goes as far as 2^%d and 2^%d", class, i/length, first, power)
			}
			if count[power]++; v < 0 {
				below++
			}
		}
		far := class == device.Mixed || class == device.Striped
		if len(count) != map[bool]int{true: 9, false: 1}[far] || far && 2*count[0] < lines*length {
			t.Errorf("%s: lines by their powers of two: %v", class, count)
		}
		if below < lines*length*2/5 || below > lines*length*3/5 {
			t.Errorf("%s: %d of %d numbers are negative", class, below, lines*length)
		}
	}
}

func (p *program) call(t *testing.T, entry string, mem []byte, args ...uint64) {
	t.Helper()
	w := &work{program: p}
	w.add("memory", mem, true)
	l := newLaunch(p, kernels.Launch{Entry: entry, Grid: [3]int{4, 1, 1}, Block: [3]int{256, 1, 1},
		Cluster: [3]int{1, 1, 1}})
	l.args = append([]uint64{uint64(address(mem))}, args...)
	w.launches = []*launch{l}
	err := w.do(runOptions{})
	runtime.KeepAlive(mem) // the kernel has its address alone
	if err != nil {
		t.Fatalf("%s: %v", entry, err)
	}
}

func memory(t *testing.T, n int) []byte {
	t.Helper()
	a, err := newArena([]int{n}, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.free() })
	return a.buffers[0]
}

// TestSameInputsAsTheGPU holds the Go generator against the device code that it is a port of.
func TestSameInputsAsTheGPU(t *testing.T) {
	p := harness(t)
	t.Run("classes", func(t *testing.T) { sameClasses(t, p) })
	t.Run("bytes", func(t *testing.T) { sameBytes(t, p) })
	t.Run("ranges", func(t *testing.T) { sameRanges(t, p) })
	t.Run("reached ranges", func(t *testing.T) { reachedRanges(t, p) })
	t.Run("draws", func(t *testing.T) { sameDraws(t, p) })
	t.Run("cuda_fp8.h", func(t *testing.T) { sameAsCUDA(t, p) })
	t.Run("int4", func(t *testing.T) { fourBits(t, p) })
	t.Run("e2m1", func(t *testing.T) { fourBitFloats(t, p) })
}

func sameClasses(t *testing.T, p *program) {
	const rows, cols, n, seed = 11, 161, 11 * 161, 0x123456789abcdef
	byLine := []string{device.Mixed, device.Rare, device.Striped, device.Lone, device.Comb}
	for _, class := range slices.Concat(device.Classes, byLine) {
		for d, dtype := range gpu.DTypeCodes {
			if !d.Outputs() && d != kernels.E5M2 {
				continue // no classes: sameRanges
			}
			one, neutral := kernels.Buffer{DType: d, Shape: []int{rows, cols}}, math.Float32bits(-3)
			if device.AmongTerms(class) {
				neutral = 0 // between needles of which there is dust
			}
			c := &device.Case{Class: class, Mix: [][]string{{"lead", "tiny", "huge", "needles", "special"},
				{"normal", "outlier", "shift"}},
				Buffers: []kernels.Buffer{one, one},
				Terms:   []device.Terms{{Axis: 1, Neutral: neutral}}}
			if d == kernels.I32 && (class == "special" || class == "huge" || class == "extreme" || device.ByLine(class)) {
				continue // what an int does not hold
			}
			for tensor := range 2 {
				f, err := c.Fill(tensor)
				if err != nil {
					t.Fatal(err)
				}
				theirs := memory(t, n*d.Size())
				p.call(t, "dw_fill", theirs, n, uint64(dtype), uint64(f.Classes), uint64(tensor), seed, uint64(f.Inner),
					uint64(f.Len), uint64(f.Neutral), 0, 0, 0, 0, 0)
				ours, got, want := make([]byte, n*d.Size()), make([]float64, n), make([]float64, n)
				if err := inputs.Floats(ours, d, f, seed); err != nil {
					t.Fatal(err)
				}
				check.Decode(d, ours, got)
				check.Decode(d, theirs, want)
				near(t, class, got, want, d)
			}
		}
	}
}

// near wants equal values, except where a logarithm, a cosine or a power is in them: those may differ by
// a rounding, and near a zero of the cosine by that of its argument.
func near(t *testing.T, class string, got, want []float64, d kernels.DType) {
	t.Helper()
	relative, absolute := 0.0, 0.0
	switch class {
	case "huge", device.Mixed, device.Rare, device.Striped, device.Lone, device.Comb: // normal numbers times 2^24
		absolute, relative = 1e-5*0x1p24, 0x1p-6
	case "uniform", "cancel", "exact", "denormal":
	default:
		absolute = 1e-5
		fallthrough
	case "wide", "large":
		relative = map[kernels.DType]float64{kernels.FP16: 0x1p-9, kernels.BF16: 0x1p-6, kernels.FP32: 1e-5}[d]
	}
	switch d { // a rounding may go the other way
	case kernels.E4M3:
		relative, absolute = 0x1p-3, 0x1p-9
	case kernels.E5M2:
		relative, absolute = 0x1p-2, 0x1p-16
	}
	for i := range want {
		if got[i] == want[i] || got[i] != got[i] && want[i] != want[i] {
			continue
		}
		if !(math.Abs(got[i]-want[i]) <= relative*math.Abs(want[i])+absolute) {
			t.Fatalf("%s %s element %d: %g here, %g there", class, d, i, got[i], want[i])
		}
	}
}
