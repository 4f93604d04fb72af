// Codes of four bits, two to a byte, that stand for whole numbers from 0 to 15: as operands of products with 16-bit numbers.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <darwarp/bits.cuh>

namespace darwarp {

// Magic is a number of a 16-bit type whose last bits count ones: a code put there is the number plus the code, so that one
// subtraction, which is exact, gives the code less a zero point. fp16 has 10 bits of mantissa, and its numbers from 1024 to 2047
// are 0x6400 and the next 1023; bf16 has 7, and its numbers from 128 to 255 are 0x4300 and the next 127. Zero points up to 15
// keep both within these. (Kim, Henry, Fahim, Awadalla, "Who Says Elephants Can't Run", 2022, 4.2.)
template <class T> struct Magic;
template <> struct Magic<__half> {
    static constexpr unsigned BITS = 0x6400;
    using Pair = __half2;
};
template <> struct Magic<__nv_bfloat16> {
    static constexpr unsigned BITS = 0x4300;
    using Pair = __nv_bfloat162;
};

// magic_bits are the bits of the number, plus a zero point.
template <class T>
__device__ __forceinline__ unsigned magic_bits(unsigned zero) { return Magic<T>::BITS | zero; }

// pair_of is the pair of a number twice whose bits are the lower half of a word.
template <class T>
__device__ __forceinline__ typename Magic<T>::Pair pair_of(unsigned bits) {
    const unsigned twice = __byte_perm(bits, 0, 0x1010);
    return *reinterpret_cast<const typename Magic<T>::Pair*>(&twice);
}

// ZeroPoint is what codes are less, made of its magic_bits in the lower half of a word. fp16 has room for a code four bits further up,
// where it counts 16: then 1024 + 16 * code, over 16, is 64 + code, and one FMA, which is exact, gives the code less the zero point.
// That saves a shift for every other pair.
template <class T>
struct ZeroPoint {
    typename Magic<T>::Pair magic;
    __device__ __forceinline__ explicit ZeroPoint(unsigned bits) : magic(pair_of<T>(bits)) {}
};
template <>
struct ZeroPoint<__half> {
    __half2 magic, sixteenth;  // 1024 + zero, and -(64 + zero) = 960 - (1024 + zero)
    __device__ __forceinline__ explicit ZeroPoint(unsigned bits) : magic(pair_of<__half>(bits)), sixteenth(__hsub2(__float2half2_rn(960.f), magic)) {}
};

// codes_less takes two of the eight codes of a word: number PART, 0 to 3, and the one four after it, each less the zero point.
template <int PART>
__device__ __forceinline__ __nv_bfloat162 codes_less(unsigned word, const ZeroPoint<__nv_bfloat16>& zero) {
    const unsigned bits = and_or(word >> 4 * PART, 0x000f000fu, Magic<__nv_bfloat16>::BITS * 0x10001u);
    return __hsub2(*reinterpret_cast<const __nv_bfloat162*>(&bits), zero.magic);
}
template <int PART>
__device__ __forceinline__ __half2 codes_less(unsigned word, const ZeroPoint<__half>& zero) {
    const unsigned bits = and_or(word >> PART / 2 * 8, PART % 2 ? 0x00f000f0u : 0x000f000fu, Magic<__half>::BITS * 0x10001u);
    const __half2 code = *reinterpret_cast<const __half2*>(&bits);
    if constexpr (PART % 2) return __hfma2(code, __float2half2_rn(0.0625f), zero.sixteenth);
    else return __hsub2(code, zero.magic);
}

// dequantised_pair is (code - zero) * scale for two codes, rounded once: the difference is exact.
template <class T, int PART>
__device__ __forceinline__ unsigned dequantised_pair(unsigned word, const ZeroPoint<T>& zero, typename Magic<T>::Pair scale) {
    const typename Magic<T>::Pair v = __hmul2(codes_less<PART>(word, zero), scale);
    return *reinterpret_cast<const unsigned*>(&v);
}

// PlainCodes are the eight codes of a word as operands in fp16, just as they lie: without an exponent a number of fp16 counts 2^-24,
// which products keep. Codes 0 and 4, 2 and 6 are `lower`; 1 and 5, 3 and 7 are `upper`, and count 16 times as much.
template <bool MULTIPLIED = false>  // the shift is the multiplier's, which is idle else
struct PlainCodes {
    static constexpr float ONE = 0x1p24f, UPPER = 0x1p-4f;  // what sums are to be multiplied by, and those of `upper` besides
    unsigned lower[2], upper[2];
    __device__ __forceinline__ explicit PlainCodes(unsigned word) : PlainCodes(word, MULTIPLIED ? multiplied_right<8>(word) : word >> 8) {}
    __device__ __forceinline__ PlainCodes(unsigned word, unsigned right)
        : lower{word & 0x000f000fu, right & 0x000f000fu}, upper{word & 0x00f000f0u, right & 0x00f000f0u} {}
};

}  // namespace darwarp
