// Device code of the bench: it makes the inputs and compares the outputs with the truth.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

namespace darwarp_bench {

typedef unsigned long long u64;

// mix is splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
__device__ inline u64 mix(u64 x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// normal is the Box-Muller transform of 64 random bits.
__device__ inline float normal(u64 r) {
    const float u = (float(unsigned(r)) + 0.5f) * 0x1p-32f, v = float(unsigned(r >> 32)) * 0x1p-32f;
    return sqrtf(-2.0f * logf(u)) * cosf(6.28318530718f * v);
}

__device__ inline void put(float* p, float x) { *p = x; }
__device__ inline void put(__half* p, float x) { *p = __float2half_rn(x); }
__device__ inline void put(__nv_bfloat16* p, float x) { *p = __float2bfloat16_rn(x); }
__device__ inline void put(int* p, float x) { *p = int(x); }
__device__ inline void put(__nv_fp8_e4m3* p, float x) { *p = __nv_fp8_e4m3(x); }
__device__ inline void put(__nv_fp8_e5m2* p, float x) { *p = __nv_fp8_e5m2(x); }

// Power is a power of two in eight bits (e8m0): 2^(code - 127).
struct Power {
    unsigned char code;
};
__device__ inline void put(Power* p, float x) { p->code = (unsigned char)(127 + lrintf(log2f(x))); }

__device__ inline double get(float x) { return x; }
__device__ inline double get(__half x) { return __half2float(x); }
__device__ inline double get(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ inline double get(int x) { return x; }
__device__ inline double get(__nv_fp8_e4m3 x) { return float(x); }

// normals_of writes n inputs: normal, or with `exact` the integers -1, 0, 1, whose sums no order of adding
// can change. Every value is a function of (seed, index).
template <class T>
__global__ void normals_of(T* out, u64 n, int exact, u64 seed) {
    const u64 step = u64(gridDim.x) * blockDim.x;
    for (u64 i = blockIdx.x * u64(blockDim.x) + threadIdx.x; i < n; i += step) {
        const u64 r = mix(mix(seed) + i);
        put(out + i, exact ? float(int(r % 3) - 1) : normal(r));
    }
}

// wholes_of writes whole numbers from low to high. how: 1 evenly; 2 as lengths are, half of them either of these two; 3 each of
// them once in another order: the factor is a prime that no n of 31 bits has; 4 as offsets, skewed ones too, of lines
// that are as long as each other, from 0 to high.
template <class T>
__global__ void wholes_of(T* out, u64 n, int how, u64 seed, int low, int high) {
    const u64 step = u64(gridDim.x) * blockDim.x, count = u64((long long)high - low + 1);
    for (u64 i = blockIdx.x * u64(blockDim.x) + threadIdx.x; i < n; i += step) {
        const long long any = low + (long long)(mix(mix(seed) + i) % count);
        if (how == 3) out[i] = T((i * 2654435761ull + mix(seed) % n) % n);
        else if (how == 4) out[i] = T(n > 1 ? i * u64(high) / (n - 1) : 0);
        else out[i] = T(how == 2 && i % 4 < 2 ? (i % 4 ? low : high) : any);
    }
}

// scales_of writes positive numbers from low to high, evenly by their logarithms; with `exact` powers of two, of which one
// lies between them.
template <class T>
__global__ void scales_of(T* out, u64 n, int exact, u64 seed, float low, float high) {
    const u64 step = u64(gridDim.x) * blockDim.x;
    const float from = log2f(low), to = log2f(high), first = ceilf(from);
    const u64 powers = u64(floorf(to) - first) + 1;
    for (u64 i = blockIdx.x * u64(blockDim.x) + threadIdx.x; i < n; i += step) {
        const u64 r = mix(mix(seed) + i);
        const float any = from + (to - from) * (float(unsigned(r)) * 0x1p-32f);
        put(out + i, exact ? exp2f(first + float(r % powers)) : fminf(fmaxf(exp2f(any), low), high));
    }
}

// Tolerance of an output element whose true value is `want` and whose terms have magnitudes that sum
// to `scale`: relative * |want| + sums * scale + least. From `overflow` on a number rounds to Inf.
struct Tolerance {
    double relative, sums, least, overflow;
};

__device__ inline bool near(double got, double want, double allowed, double overflow) {
    if (fabs(got - want) <= allowed) return true;  // false for NaN
    return isinf(got) && fabs(want) + allowed >= overflow && signbit(got) == signbit(want);
}

// Within is what an output should be, and how far off it may be.
struct Within {
    double want, allowed;
};

template <class T>
__device__ inline Within within(T, double want, double allowed) {
    return {want, allowed};
}

// An e4m3 is rounded once, to nearest, from a number that is as far off as allowed, so it is off by half of a step of e4m3
// more: of the step at that number, on the side where `got` is. What is beyond 448 is 448.
__device__ inline Within within(__nv_fp8_e4m3 got, double want, double allowed) {
    const double most = 448, least = 0x1p-6;
    const double stored = fmin(fabs(want), most), off = fmax(allowed - (fabs(want) - stored), 0.0);
    const bool below = get(got) * copysign(1.0, want) < stored;
    const double edge = below ? fabs(stored - off) : fmin(stored + off, most);
    return {want != want ? want : copysign(stored, want), off + ldexp(1.0, ilogb(fmax(edge, least)) - 4)};
}

// compare counts the outputs that are further from the truth than allowed, and keeps the greatest
// error over its tolerance. With `exact` an output must be the truth, rounded once.
template <class T>
__global__ void compare(const T* got, const double* want, const float* scale, u64 n, int exact, Tolerance t,
                        u64* wrong, float* worst) {
    const u64 step = u64(gridDim.x) * blockDim.x;
    for (u64 i = blockIdx.x * u64(blockDim.x) + threadIdx.x; i < n; i += step) {
        if (exact) {
            T right;
            put(&right, float(want[i]));
            if (!(get(got[i]) == get(right))) atomicAdd(wrong, 1ull);
            continue;
        }
        const Within w = within(got[i], want[i], t.relative * fabs(want[i]) + t.sums * scale[i] + t.least);
        if (!near(get(got[i]), w.want, w.allowed, t.overflow)) atomicAdd(wrong, 1ull);
        // Positive floats are ordered as their bits are.
        const float ratio = float(fabs(get(got[i]) - w.want) / w.allowed);
        if (isfinite(ratio)) atomicMax(reinterpret_cast<int*>(worst), __float_as_int(ratio));
    }
}

}  // namespace darwarp_bench
