// Operations on the bits of a word.
#pragma once

namespace darwarp {

// and_or is x & mask | bits in one instruction (lop3; 0xea is the table of (a & b) | c). Of two constants, as they are where
// codes become numbers, the compiler makes two instructions, since an instruction has room for one.
__device__ __forceinline__ unsigned and_or(unsigned x, unsigned mask, unsigned bits) {
    unsigned r;
    asm("lop3.b32 %0, %1, %2, %3, 0xea;\n" : "=r"(r) : "r"(x), "r"(mask), "r"(bits));
    return r;
}

// chosen has the bits of x where the mask has ones, and those of y elsewhere, in one instruction (0xca is the table of a ? b : c).
__device__ __forceinline__ unsigned chosen(unsigned mask, unsigned x, unsigned y) {
    unsigned r;
    asm("lop3.b32 %0, %1, %2, %3, 0xca;\n" : "=r"(r) : "r"(mask), "r"(x), "r"(y));
    return r;
}

// multiplied_right is x >> COUNT by the multiplier: the upper half of a product (imad.hi). A shift takes turns with all other operations on
// bits.
template <int COUNT>
__device__ __forceinline__ unsigned multiplied_right(unsigned x) {
    unsigned r;
    asm("mul.hi.u32 %0, %1, %2;\n" : "=r"(r) : "r"(x), "r"(1u << (32 - COUNT)));
    return r;
}

}  // namespace darwarp
