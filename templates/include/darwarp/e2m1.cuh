// Numbers of four bits, two to a byte: a sign, two bits of exponent with the bias 1, one of mantissa, which are 0, 0.5, 1, 1.5,
// 2, 3, 4 and 6 with either sign (OCP Microscaling Formats Specification, 5.3.3), and their scales, which are powers of two.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <darwarp/bits.cuh>

namespace darwarp {

// E2m1 says where the three bits below the sign go in a 16-bit type: to the last two bits of its exponent and the first of its
// mantissa. So placed they are the number over a power of two that is the difference of both biases, also where it is subnormal:
// 2^14 in fp16, 2^126 in bf16. A scale puts this right. SUM is what sums of products are to be multiplied by: without it a scale
// of 4 would have to be multiplied by 2^14, which is more than fp16 has. With it the scales from 2^-17 to 2^7 make numbers of fp16.
// It is no more than that, since sums of small numbers in fp32 lose as many bits. PLACED is what sums are multiplied by whose scales
// were multiplied in fp32.
template <class T> struct E2m1;
template <> struct E2m1<__half> {
    static constexpr int MANTISSA = 10, FIELD = 15 + 14 - 6;  // of the scale 1: bias, what is put right, what the sums are for
    static constexpr float SUM = 0x1p6f, PLACED = 0x1p14f;
    using Pair = __half2;
};
template <> struct E2m1<__nv_bfloat16> {
    static constexpr int MANTISSA = 7, FIELD = 127 + 126 - 6;
    static constexpr float SUM = 0x1p6f;
    using Pair = __nv_bfloat162;
};

// power_pair is the pair of what the numbers of a group are multiplied by whose scale is 2^(code - 127), as bits. Scales that are too
// small for the type are 0, and those that are too large infinity.
template <class T>
__device__ __forceinline__ unsigned power_pair(unsigned code) {
    constexpr int INFINITE = (1 << (15 - E2m1<T>::MANTISSA)) - 1;
    const int field = min(max(int(code) + (E2m1<T>::FIELD - 127), 0), INFINITE);
    return __byte_perm(unsigned(field) << E2m1<T>::MANTISSA, 0, 0x1010);
}

// power is the scale of a group in fp32, 2^(code - 127), where `codes` are those of two groups, the first in the lower byte. That of the
// code 0 is 0, and that of 255 infinity.
__device__ __forceinline__ float power(unsigned codes, int which) { return __uint_as_float(codes << (which == 0 ? 23 : 15) & 0x7f800000u); }

// PlacedPairs are the eight numbers of a word in pairs: number PART, 0 to 3, and the one four after it.
template <class T, bool MULTIPLIED = false> struct PlacedPairs;  // MULTIPLIED: the shift to the right is the multiplier's

template <bool MULTIPLIED> struct PlacedPairs<__nv_bfloat16, MULTIPLIED> {
    unsigned word;
    __device__ __forceinline__ explicit PlacedPairs(unsigned w) : word(w) {}
    template <int PART> __device__ __forceinline__ unsigned pair() const {
        const unsigned placed = PART < 2 ? word << (PART < 2 ? 6 - 4 * PART : 0) : word >> (PART < 2 ? 0 : 4 * PART - 6);
        return and_or(word << (12 - 4 * PART), 0x80008000u, placed & 0x01c001c0u);
    }
};

// In fp16 all four bits lie in the upper byte, at 0x8e of it, so that four numbers at a time get there: the even ones and the odd ones. What is
// beside them goes when a byte comes to the upper half of a number, which takes a mask in any case. Shifts to the left are the multiplier's by
// ptxas' choice, so a word takes six operations on bits, and one to shift it to the right.
template <bool MULTIPLIED> struct PlacedPairs<__half, MULTIPLIED> {
    unsigned even, odd;
    __device__ __forceinline__ explicit PlacedPairs(unsigned w)
        : even(chosen(0x80808080u, w << 4, w << 1)), odd(chosen(0x80808080u, w, MULTIPLIED ? multiplied_right<3>(w) : w >> 3)) {}
    template <int PART> __device__ __forceinline__ unsigned pair() const {
        const unsigned bytes = PART % 2 ? odd : even;
        return (PART < 2 ? bytes << 8 : bytes) & 0x8e008e00u;
    }
};

}  // namespace darwarp
