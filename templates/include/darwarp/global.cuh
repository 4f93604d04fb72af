// Loads and stores of global memory with a say in where the data stay. A word is what a thread moves
// at once: 2, 4, 8 or 16 bytes. PTX ISA, "Cache Eviction Priority Hints" and "Cache Operators".
#pragma once

namespace darwarp {

// Cache is a hint. CACHED: the hardware's ordinary choice. STREAMING: to be evicted first (.cs).
// NO_ALLOCATE: through the read-only path and not kept in L1, for data that nobody reads twice.
enum Cache { CACHED, STREAMING, NO_ALLOCATE };

__device__ __forceinline__ uint4 load_no_allocate(const uint4* p) {
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p));
    return v;
}
__device__ __forceinline__ uint2 load_no_allocate(const uint2* p) {
    uint2 v;
    asm volatile("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];\n" : "=r"(v.x), "=r"(v.y) : "l"(p));
    return v;
}
__device__ __forceinline__ unsigned load_no_allocate(const unsigned* p) {
    unsigned v;
    asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];\n" : "=r"(v) : "l"(p));
    return v;
}
__device__ __forceinline__ unsigned short load_no_allocate(const unsigned short* p) {
    unsigned short v;
    asm volatile("ld.global.nc.L1::no_allocate.u16 %0, [%1];\n" : "=h"(v) : "l"(p));
    return v;
}

// load_global reads a word that nobody writes while the kernel runs.
template <Cache HINT, class Word>
__device__ __forceinline__ Word load_global(const Word* p) {
    if constexpr (HINT == STREAMING) return __ldcs(p);
    else if constexpr (HINT == NO_ALLOCATE) return load_no_allocate(p);
    else return *p;
}

// store_global writes a word.
template <Cache HINT, class Word>
__device__ __forceinline__ void store_global(Word* p, Word v) {
    if constexpr (HINT == STREAMING) __stcs(p, v);
    else *p = v;
}

// as_it_is hides from the compiler what a word in registers holds: it can neither widen it ahead of time nor keep what it was
// widened to, which takes twice the registers.
__device__ __forceinline__ uint4 as_it_is(uint4 v) {
    asm volatile("" : "+r"(v.x), "+r"(v.y), "+r"(v.z), "+r"(v.w));
    return v;
}
__device__ __forceinline__ uint2 as_it_is(uint2 v) {
    asm volatile("" : "+r"(v.x), "+r"(v.y));
    return v;
}
__device__ __forceinline__ unsigned as_it_is(unsigned v) {
    asm volatile("" : "+r"(v));
    return v;
}
__device__ __forceinline__ unsigned short as_it_is(unsigned short v) {
    asm volatile("" : "+h"(v));
    return v;
}

}  // namespace darwarp
