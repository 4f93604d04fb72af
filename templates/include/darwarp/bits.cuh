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

}  // namespace darwarp
