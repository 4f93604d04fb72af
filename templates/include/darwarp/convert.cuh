// Conversions between the 16-bit types and float, always round to nearest even, and what there is of float beside them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace darwarp {

__device__ __forceinline__ float to_float(float x) { return x; }
__device__ __forceinline__ float to_float(__half x) { return __half2float(x); }
__device__ __forceinline__ float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }

template <class T> __device__ __forceinline__ T from_float(float x);
template <> __device__ __forceinline__ float from_float<float>(float x) { return x; }
template <> __device__ __forceinline__ __half from_float<__half>(float x) { return __float2half_rn(x); }
template <> __device__ __forceinline__ __nv_bfloat16 from_float<__nv_bfloat16>(float x) {
    return __float2bfloat16_rn(x);
}

// pack2 puts two 16-bit values into one register, `lo` at the lower address: one instruction (sm_80).
template <class T> __device__ __forceinline__ unsigned pack2(float lo, float hi);
template <> __device__ __forceinline__ unsigned pack2<__half>(float lo, float hi) {
    unsigned bits;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;\n" : "=r"(bits) : "f"(hi), "f"(lo));
    return bits;
}
template <> __device__ __forceinline__ unsigned pack2<__nv_bfloat16>(float lo, float hi) {
    unsigned bits;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;\n" : "=r"(bits) : "f"(hi), "f"(lo));
    return bits;
}

// unpack2 is the inverse of pack2. A bf16 is the upper half of a float.
template <class T> __device__ __forceinline__ float2 unpack2(unsigned bits);
template <> __device__ __forceinline__ float2 unpack2<__half>(unsigned bits) {
    return __half22float2(*reinterpret_cast<const __half2*>(&bits));
}
template <> __device__ __forceinline__ float2 unpack2<__nv_bfloat16>(unsigned bits) {
    return make_float2(__uint_as_float(bits << 16), __uint_as_float(bits & 0xffff0000u));
}

// max_nan and min_nan are the greater and the lesser number, NaN where there is one: one instruction (sm_80).
__device__ __forceinline__ float max_nan(float a, float b) {
    float v;
    asm("max.NaN.f32 %0, %1, %2;\n" : "=f"(v) : "f"(a), "f"(b));
    return v;
}
__device__ __forceinline__ float min_nan(float a, float b) {
    float v;
    asm("min.NaN.f32 %0, %1, %2;\n" : "=f"(v) : "f"(a), "f"(b));
    return v;
}

// to_tf32 rounds to the 10 bits behind the leading one that tensor cores take of a float, ties away from zero.
__device__ __forceinline__ float to_tf32(float x) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;\n" : "=r"(bits) : "f"(x));
    return __uint_as_float(bits);
}

}  // namespace darwarp
