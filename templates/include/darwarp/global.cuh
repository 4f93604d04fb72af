// Loads and stores of global memory with a say in where the data stay. A word is what a thread moves
// at once: 2, 4, 8 or 16 bytes. PTX ISA, "Cache Eviction Priority Hints" and "Cache Operators".
#pragma once

namespace darwarp {

// Cache is a hint. CACHED: the hardware's ordinary choice. STREAMING: to be evicted first (.cs).
// NO_ALLOCATE: through the read-only path and not kept in L1, for data that nobody reads twice.
// EVICT_LAST: to stay in L2 when others go. Inputs read so leave L2 to the results, of which the oldest go to
// memory in a steady stream: 127 us instead of 131 for 268 MB in and out on an H200, with as many bytes read.
// IN_PLACE: cached, but not moved by the compiler over the stores and barriers before it, so that the word
// has registers no longer than it must.
// KEEP_QUARTER and the like: that share of the lines, chosen by their addresses, is to stay in L2, and the others leave first. Of
// data that L2 has no room for, and that are read from one end to the other by every call, each line else leaves before it is wanted again.
enum Cache { CACHED, STREAMING, NO_ALLOCATE, EVICT_LAST, IN_PLACE, KEEP_QUARTER, KEEP_THREE_EIGHTHS, KEEP_HALF, KEEP_THREE_QUARTERS };

// l2_policy is what L2 is told by instructions that take a policy. PTX ISA, "createpolicy".
template <Cache HINT>
__device__ __forceinline__ unsigned long long l2_policy() {
    static_assert(HINT != CACHED && HINT != NO_ALLOCATE && HINT != IN_PLACE, "these are no policies of L2");
    unsigned long long policy;
    if constexpr (HINT == STREAMING) asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;\n" : "=l"(policy));
    else if constexpr (HINT == KEEP_QUARTER) asm("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %0, 0.25;\n" : "=l"(policy));
    else if constexpr (HINT == KEEP_THREE_EIGHTHS) asm("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %0, 0.375;\n" : "=l"(policy));
    else if constexpr (HINT == KEEP_THREE_QUARTERS) asm("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %0, 0.75;\n" : "=l"(policy));
    else if constexpr (HINT == KEEP_HALF) asm("createpolicy.fractional.L2::evict_last.L2::evict_first.b64 %0, 0.5;\n" : "=l"(policy));
    else asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;\n" : "=l"(policy));
    return policy;
}

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

__device__ __forceinline__ uint4 load_evict_last(const uint4* p) {
    uint4 v;
    asm volatile("ld.global.L1::evict_last.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;\n"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p), "l"(l2_policy<EVICT_LAST>()));
    return v;
}
__device__ __forceinline__ uint2 load_evict_last(const uint2* p) {
    uint2 v;
    asm volatile("ld.global.L1::evict_last.L2::cache_hint.v2.u32 {%0, %1}, [%2], %3;\n" : "=r"(v.x), "=r"(v.y) : "l"(p), "l"(l2_policy<EVICT_LAST>()));
    return v;
}
__device__ __forceinline__ unsigned load_evict_last(const unsigned* p) {
    unsigned v;
    asm volatile("ld.global.L1::evict_last.L2::cache_hint.u32 %0, [%1], %2;\n" : "=r"(v) : "l"(p), "l"(l2_policy<EVICT_LAST>()));
    return v;
}
__device__ __forceinline__ unsigned short load_evict_last(const unsigned short* p) {
    unsigned short v;
    asm volatile("ld.global.L1::evict_last.L2::cache_hint.u16 %0, [%1], %2;\n" : "=h"(v) : "l"(p), "l"(l2_policy<EVICT_LAST>()));
    return v;
}

__device__ __forceinline__ uint4 load_in_place(const uint4* p) {
    uint4 v;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];\n" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
    return v;
}
__device__ __forceinline__ uint2 load_in_place(const uint2* p) {
    uint2 v;
    asm volatile("ld.global.v2.u32 {%0, %1}, [%2];\n" : "=r"(v.x), "=r"(v.y) : "l"(p) : "memory");
    return v;
}

// load_global reads a word that nobody writes while the kernel runs.
template <Cache HINT, class Word>
__device__ __forceinline__ Word load_global(const Word* p) {
    if constexpr (HINT == STREAMING) return __ldcs(p);
    else if constexpr (HINT == NO_ALLOCATE) return load_no_allocate(p);
    else if constexpr (HINT == EVICT_LAST) return load_evict_last(p);
    else if constexpr (HINT == IN_PLACE) return load_in_place(p);
    else return *p;
}

// store_global writes a word.
template <Cache HINT, class Word>
__device__ __forceinline__ void store_global(Word* p, Word v) {
    if constexpr (HINT == STREAMING) __stcs(p, v);
    else *p = v;
}

// store_before writes a word where `at` is before `end`. With a predicate there is no branch: where each of dozens of words has one, the
// compiler keeps track of all that lives through each of them.
__device__ __forceinline__ void store_before(unsigned* p, unsigned v, int at, int end) {
    asm volatile("{\n  .reg .pred there;\n  setp.lt.s32 there, %2, %3;\n  @there st.global.u32 [%0], %1;\n}\n" ::"l"(p), "r"(v), "r"(at), "r"(end)
                 : "memory");
}
__device__ __forceinline__ void store_before(uint2* p, uint2 v, int at, int end) {
    asm volatile("{\n  .reg .pred there;\n  setp.lt.s32 there, %3, %4;\n  @there st.global.v2.u32 [%0], {%1, %2};\n}\n" ::"l"(p), "r"(v.x), "r"(v.y),
                 "r"(at), "r"(end)
                 : "memory");
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
__device__ __forceinline__ const unsigned char* as_it_is(const unsigned char* p) {
    asm volatile("" : "+l"(p));
    return p;
}
__device__ __forceinline__ unsigned short as_it_is(unsigned short v) {
    asm volatile("" : "+h"(v));
    return v;
}

// forget makes the compiler forget what it has worked out from words in registers. Else ptxas keeps what they were widened to,
// in twice the registers, for the next time; as_it_is is nothing to it. Here they might have been changed by a loop, which in
// truth never runs, for no grid has 0 blocks along z.
template <class Word, int COUNT>
__device__ __forceinline__ void forget(Word (&words)[COUNT]) {
    unsigned* parts = reinterpret_cast<unsigned*>(words);
    const auto blocks = [] {
        unsigned n;
        asm volatile("mov.u32 %0, %%nctaid.z;\n" : "=r"(n));
        return n;
    };
    while (blocks() == 0) {
        #pragma unroll
        for (int i = 0; i < int(sizeof(words) / 4); ++i) parts[i] = ~parts[i];
    }
}

// store_relaxed and load_relaxed move four words between blocks that run at the same time, through L2. Each of the words is there or not:
// nothing is said of others. PTX ISA, "ld" and "st", and "Vector Data-types" of the memory consistency model.
__device__ __forceinline__ void store_relaxed(float4* p, float4 v) {
    asm volatile("st.relaxed.gpu.global.v4.f32 [%0], {%1, %2, %3, %4};\n" ::"l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
}
__device__ __forceinline__ float4 load_relaxed(const float4* p) {
    float4 v;
    asm volatile("ld.relaxed.gpu.global.v4.f32 {%0, %1, %2, %3}, [%4];\n" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p) : "memory");
    return v;
}

// add_global adds four numbers to those in global memory, each as an atomic would (sm_90). PTX ISA, "red".
__device__ __forceinline__ void add_global(float4* p, float4 v) {
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};\n" ::"l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
}

}  // namespace darwarp
