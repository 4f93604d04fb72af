// Words as numbers: N neighbouring elements of 16 or 32 bits, moved at once and computed with as float.
#pragma once

#include <darwarp/convert.cuh>
#include <darwarp/global.cuh>

namespace darwarp {

template <int BYTES> struct WordOf;
template <> struct WordOf<2> { using type = unsigned short; };
template <> struct WordOf<4> { using type = unsigned; };
template <> struct WordOf<8> { using type = uint2; };
template <> struct WordOf<16> { using type = uint4; };

// Word is the built-in type of the size of N elements: a load or store of one is one instruction.
template <class T, int N> using Word = typename WordOf<N * sizeof(T)>::type;

// unpack widens the N elements of a word.
template <class T, int N>
__device__ __forceinline__ void unpack(const Word<T, N>& word, float (&v)[N]) {
    if constexpr (sizeof(T) == 2 && N % 2 == 0) {
        const unsigned* pairs = reinterpret_cast<const unsigned*>(&word);
        #pragma unroll
        for (int i = 0; i < N / 2; ++i) {
            const float2 pair = unpack2<T>(pairs[i]);
            v[2 * i] = pair.x;
            v[2 * i + 1] = pair.y;
        }
    } else {
        const T* elements = reinterpret_cast<const T*>(&word);
        #pragma unroll
        for (int i = 0; i < N; ++i) v[i] = to_float(elements[i]);
    }
}

// pack rounds N floats to a word.
template <class T, int N>
__device__ __forceinline__ Word<T, N> pack(const float (&v)[N]) {
    Word<T, N> word;
    if constexpr (sizeof(T) == 2 && N % 2 == 0) {
        unsigned* pairs = reinterpret_cast<unsigned*>(&word);
        #pragma unroll
        for (int i = 0; i < N / 2; ++i) pairs[i] = pack2<T>(v[2 * i], v[2 * i + 1]);
    } else {
        T* elements = reinterpret_cast<T*>(&word);
        #pragma unroll
        for (int i = 0; i < N; ++i) elements[i] = from_float<T>(v[i]);
    }
    return word;
}

// load_word and store_word move the N elements at p, which is aligned to N elements.
template <Cache HINT, int N, class T>
__device__ __forceinline__ Word<T, N> load_word(const T* p) {
    return load_global<HINT>(reinterpret_cast<const Word<T, N>*>(p));
}
template <Cache HINT, class T, int N>
__device__ __forceinline__ void store_word(T* p, const float (&v)[N]) {
    store_global<HINT>(reinterpret_cast<Word<T, N>*>(p), pack<T, N>(v));
}

}  // namespace darwarp
