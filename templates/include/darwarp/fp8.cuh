// Numbers of 8 bits, as operands of products. Every number of e4m3 and e5m2 is a number of fp16, whose matrix units take them.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <darwarp/convert.cuh>

namespace darwarp {

__device__ __forceinline__ float to_float(__nv_fp8_e4m3 x) { return static_cast<float>(x); }
__device__ __forceinline__ float to_float(__nv_fp8_e5m2 x) { return static_cast<float>(x); }

// half2_of_e4m3 makes pairs of fp16 of the codes in the even bytes of a word, each in the lower byte of its half. e4m3 has four
// bits of exponent with the bias 7, and fp16 five with 15: a code whose bits below the sign are moved up by 7 is the number
// divided by 2^8, also where it is subnormal. The one code of NaN, 0x7f, is the only one that carries into bit 7 when 1 is added;
// 0x80 times 0xf8 are the exponent's bits 0x7c00.
__device__ __forceinline__ unsigned half2_of_e4m3(unsigned codes) {
    const unsigned magnitude = codes & 0x007f007fu, nan = (magnitude + 0x00010001u) & 0x00800080u;
    const unsigned bits = (codes & 0x00800080u) << 8 | magnitude << 7 | nan * 0xf8u;
    const __half2 scaled = __hmul2(*reinterpret_cast<const __half2*>(&bits), __half2half2(__ushort_as_half(0x5c00)));  // 2^8
    return *reinterpret_cast<const unsigned*>(&scaled);
}

// halves_of makes two pairs of fp16 of four codes: the first two, and the last two. F is __nv_fp8_e4m3 or __nv_fp8_e5m2, which
// is the upper half of an fp16.
template <class F> __device__ __forceinline__ void halves_of(unsigned codes, unsigned (&pairs)[2]);
template <> __device__ __forceinline__ void halves_of<__nv_fp8_e4m3>(unsigned codes, unsigned (&pairs)[2]) {
    pairs[0] = half2_of_e4m3(__byte_perm(codes, 0, 0x4140));
    pairs[1] = half2_of_e4m3(__byte_perm(codes, 0, 0x4342));
}
template <> __device__ __forceinline__ void halves_of<__nv_fp8_e5m2>(unsigned codes, unsigned (&pairs)[2]) {
    pairs[0] = __byte_perm(codes, 0, 0x1404);
    pairs[1] = __byte_perm(codes, 0, 0x3424);
}

// converted_halves is halves_of by CUDA's conversion, which is one instruction for two codes from sm_89 on.
template <class F> __device__ __forceinline__ void converted_halves(unsigned codes, unsigned (&pairs)[2]);
template <> __device__ __forceinline__ void converted_halves<__nv_fp8_e4m3>(unsigned codes, unsigned (&pairs)[2]) {
    #pragma unroll
    for (int i = 0; i < 2; ++i) {
        const __half2_raw two = __nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(codes >> 16 * i), __NV_E4M3);
        pairs[i] = two.x | unsigned(two.y) << 16;
    }
}
template <> __device__ __forceinline__ void converted_halves<__nv_fp8_e5m2>(unsigned codes, unsigned (&pairs)[2]) {
    halves_of<__nv_fp8_e5m2>(codes, pairs);
}

// bfloat2_of_e4m3 is half2_of_e4m3 with bf16, whose exponent has eight bits with the bias 127: moved up by 4 a code is the
// number divided by 2^120.
__device__ __forceinline__ unsigned bfloat2_of_e4m3(unsigned codes) {
    const unsigned magnitude = codes & 0x007f007fu, nan = (magnitude + 0x00010001u) & 0x00800080u;
    const unsigned bits = (codes & 0x00800080u) << 8 | magnitude << 4 | nan * 0xffu;
    const __nv_bfloat162 scaled = __hmul2(*reinterpret_cast<const __nv_bfloat162*>(&bits),
                                          __bfloat162bfloat162(__ushort_as_bfloat16(0x7b80)));  // 2^120
    return *reinterpret_cast<const unsigned*>(&scaled);
}

// words_of makes two pairs of X, fp16 or bf16, of four codes: the first two, and the last two. converted_words does so by
// CUDA's conversion, which for bf16 goes by way of fp16.
template <class X, class F> __device__ __forceinline__ void words_of(unsigned codes, unsigned (&pairs)[2]);
template <> __device__ __forceinline__ void words_of<__half, __nv_fp8_e4m3>(unsigned codes, unsigned (&pairs)[2]) {
    halves_of<__nv_fp8_e4m3>(codes, pairs);
}
template <> __device__ __forceinline__ void words_of<__nv_bfloat16, __nv_fp8_e4m3>(unsigned codes, unsigned (&pairs)[2]) {
    pairs[0] = bfloat2_of_e4m3(__byte_perm(codes, 0, 0x4140));
    pairs[1] = bfloat2_of_e4m3(__byte_perm(codes, 0, 0x4342));
}

template <class X, class F> __device__ __forceinline__ void converted_words(unsigned codes, unsigned (&pairs)[2]);
template <> __device__ __forceinline__ void converted_words<__half, __nv_fp8_e4m3>(unsigned codes, unsigned (&pairs)[2]) {
    converted_halves<__nv_fp8_e4m3>(codes, pairs);
}
template <> __device__ __forceinline__ void converted_words<__nv_bfloat16, __nv_fp8_e4m3>(unsigned codes, unsigned (&pairs)[2]) {
    converted_halves<__nv_fp8_e4m3>(codes, pairs);
    #pragma unroll
    for (int i = 0; i < 2; ++i) {
        const float2 two = unpack2<__half>(pairs[i]);
        pairs[i] = pack2<__nv_bfloat16>(two.x, two.y);
    }
}

}  // namespace darwarp
