// Codes of four bits, two to a byte, that stand for whole numbers from 0 to 15: as operands of products with 16-bit numbers.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

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

// magic_pair is the pair of one number, plus a code that is 0 to 15, twice: what magic_codes are compared with.
template <class T>
__device__ __forceinline__ typename Magic<T>::Pair magic_pair(unsigned code) {
    const unsigned bits = (Magic<T>::BITS | code) * 0x10001u;
    return *reinterpret_cast<const typename Magic<T>::Pair*>(&bits);
}

// magic_codes takes two of the eight codes of a word: number PART, 0 to 3, and the one four after it. A shift, and one lop3 that
// selects the lowest four bits of each half and sets the magic number's.
template <class T, int PART>
__device__ __forceinline__ typename Magic<T>::Pair magic_codes(unsigned word) {
    const unsigned bits = (word >> 4 * PART & 0x000f000fu) | Magic<T>::BITS * 0x10001u;
    return *reinterpret_cast<const typename Magic<T>::Pair*>(&bits);
}

// dequantised_pair is (code - zero) * scale for two codes, rounded once: the difference is exact. zero is a magic_pair.
template <class T, int PART>
__device__ __forceinline__ unsigned dequantised_pair(unsigned word, typename Magic<T>::Pair zero, typename Magic<T>::Pair scale) {
    const typename Magic<T>::Pair v = __hmul2(__hsub2(magic_codes<T, PART>(word), zero), scale);
    return *reinterpret_cast<const unsigned*>(&v);
}

}  // namespace darwarp
