// Loads and stores with cache hints. The hints have no meaning here; the access has.
#ifndef DW_DARWARP_GLOBAL_CUH
#define DW_DARWARP_GLOBAL_CUH

#include "../dw/block.h"
#include "../dw/memory.h"

namespace darwarp {

enum Cache { CACHED, STREAMING, NO_ALLOCATE, EVICT_LAST, IN_PLACE, KEEP_QUARTER, KEEP_THREE_EIGHTHS, KEEP_HALF, KEEP_THREE_QUARTERS };

template <class Word> __forceinline__ Word load_no_allocate(const Word* p) { return *p; }
template <class Word> __forceinline__ Word load_evict_last(const Word* p) { return *p; }
template <class Word> __forceinline__ Word load_in_place(const Word* p) { return *p; }
template <Cache HINT> unsigned long long l2_policy() { return 0; }
template <Cache HINT, class Word> __forceinline__ Word load_global(const Word* p) { return *p; }
template <Cache HINT, class Word> __forceinline__ void store_global(Word* p, Word v) { *p = v; }
template <class Word> __forceinline__ void store_before(Word* p, Word v, int at, int end) {
    if (at < end) *p = v;
}
template <class Word> __forceinline__ Word as_it_is(Word v) { return v; }
template <class Word, int COUNT> __forceinline__ void forget(Word (&)[COUNT]) {}
__forceinline__ void store_relaxed(float4* p, float4 v) {
    volatile float* to = &p->x;
    to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}
// Whoever reads so may wait for a word of another block, which may wait for a word that another warp of this block has not stored yet:
// the others go on first.
__forceinline__ float4 load_relaxed(const float4* p) {
    dw_yield();
    const volatile float* from = &p->x;
    return make_float4(from[0], from[1], from[2], from[3]);
}
__forceinline__ void add_global(float4* p, float4 v) {
    atomicAdd(&p->x, v.x), atomicAdd(&p->y, v.y), atomicAdd(&p->z, v.z), atomicAdd(&p->w, v.w);
}

}  // namespace darwarp

#endif
