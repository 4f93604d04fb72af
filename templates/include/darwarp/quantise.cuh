// Outputs of e4m3: rounded to nearest even once, from float, and saturated at 448, infinity too; NaN stays NaN. Two numbers are one
// instruction from sm_89 on (cvt.rn.satfinite.e4m3x2.f32), and before it CUDA's functions do the same with integers.
#pragma once

#include <cuda_fp8.h>

#include <darwarp/convert.cuh>

namespace darwarp {

template <> __device__ __forceinline__ __nv_fp8_e4m3 from_float<__nv_fp8_e4m3>(float x) { return __nv_fp8_e4m3(x); }

// e4m3_pair puts two numbers into 16 bits, `lo` at the lower address.
__device__ __forceinline__ unsigned short e4m3_pair(float lo, float hi) {
    return __nv_cvt_float2_to_fp8x2(make_float2(lo, hi), __NV_SATFINITE, __NV_E4M3);
}

// e4m3_word puts four into a word.
__device__ __forceinline__ unsigned e4m3_word(float a, float b, float c, float d) {
    return e4m3_pair(a, b) | unsigned(e4m3_pair(c, d)) << 16;
}

// What vec.cuh has for other types. A pair is aligned to 2 bytes, and a chunk to 8.
__device__ __forceinline__ void store_pair(__nv_fp8_e4m3* p, float2 v) {
    *reinterpret_cast<unsigned short*>(p) = e4m3_pair(v.x, v.y);
}
__device__ __forceinline__ void store_pair_before(__nv_fp8_e4m3* p, float2 v, int at, int end) {
    if (at < end) store_pair(p, v);
}
__device__ __forceinline__ void store8(__nv_fp8_e4m3* p, const float (&v)[8]) {
    *reinterpret_cast<uint2*>(p) = make_uint2(e4m3_word(v[0], v[1], v[2], v[3]), e4m3_word(v[4], v[5], v[6], v[7]));
}

}  // namespace darwarp
