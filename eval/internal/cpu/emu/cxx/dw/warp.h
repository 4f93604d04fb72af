// Warp-wide operations. The lanes of a warp run apart, in any order, and meet only here: the named lanes
// wait for each other, and the last to arrive computes for all. None but __syncwarp orders memory
// ("These intrinsics do not imply a memory barrier", CUDA C++ Programming Guide).
#ifndef DW_WARP_H
#define DW_WARP_H

#include "block.h"
#include "libc.h"

enum DwWarpOp : int {
    DW_SYNC, DW_SHUFFLE, DW_BALLOT, DW_MATCH_ANY, DW_MATCH_ALL, DW_REDUCE_ADD, DW_REDUCE_MIN_S, DW_REDUCE_MIN_U,
    DW_REDUCE_MAX_S, DW_REDUCE_MAX_U, DW_REDUCE_AND, DW_REDUCE_OR, DW_REDUCE_XOR, DW_MATRIX,
};

// Every lane hands in a value and gets a result; `argument` is a shuffle's source lane.
DW_RUNTIME uint64_t dw_warp(uint32_t mask, int op, uint64_t value, uint64_t argument);
// The lanes hand in a pointer each; the last one calls finish with all 32.
DW_RUNTIME void dw_warp_matrix(void* mine, void (*finish)(void* const* lanes));

namespace dw {

template <class T>
inline uint64_t bits_of(T v) {
    static_assert(sizeof(T) <= 8, "a lane exchanges at most 8 bytes");
    uint64_t b = 0;
    memcpy(&b, &v, sizeof v);
    return b;
}
template <class T>
inline T of_bits(uint64_t b) {
    T v;
    memcpy(&v, &b, sizeof v);
    return v;
}
template <class T>
inline T shuffle(unsigned mask, T v, int source) {
    return of_bits<T>(dw_warp(mask, DW_SHUFFLE, bits_of(v), source));
}

}  // namespace dw

inline unsigned __activemask() { return 1u << dw::self().lane; }  // the least that is promised
inline void __syncwarp(unsigned mask = 0xffffffffu) { dw_warp(mask, DW_SYNC, 0, 0); }

// The source lane of each form, within segments of `width` lanes (a power of two).
template <class T> inline T __shfl_sync(unsigned mask, T v, int source, int width = 32) {
    const int lane = dw::self().lane;
    return dw::shuffle(mask, v, (lane & ~(width - 1)) | (source & (width - 1)));
}
template <class T> inline T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32) {
    const int lane = dw::self().lane, from = lane - int(delta);
    return dw::shuffle(mask, v, from < (lane & ~(width - 1)) ? lane : from);
}
template <class T> inline T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32) {
    const int lane = dw::self().lane, from = lane + int(delta);
    return dw::shuffle(mask, v, from > (lane | (width - 1)) ? lane : from);
}
template <class T> inline T __shfl_xor_sync(unsigned mask, T v, int lanes, int width = 32) {
    const int lane = dw::self().lane, from = lane ^ lanes;
    return dw::shuffle(mask, v, from > (lane | (width - 1)) ? lane : from);
}

inline unsigned __ballot_sync(unsigned mask, int p) { return unsigned(dw_warp(mask, DW_BALLOT, p != 0, 0)); }
inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
inline int __all_sync(unsigned mask, int p) { return __ballot_sync(mask, !p) == 0; }
template <class T> inline unsigned __match_any_sync(unsigned mask, T v) {
    return unsigned(dw_warp(mask, DW_MATCH_ANY, dw::bits_of(v), 0));
}
template <class T> inline unsigned __match_all_sync(unsigned mask, T v, int* same) {
    const unsigned m = unsigned(dw_warp(mask, DW_MATCH_ALL, dw::bits_of(v), 0));
    *same = m != 0;
    return m;
}

inline int __reduce_add_sync(unsigned mask, int v) { return int(dw_warp(mask, DW_REDUCE_ADD, unsigned(v), 0)); }
inline unsigned __reduce_add_sync(unsigned mask, unsigned v) { return unsigned(dw_warp(mask, DW_REDUCE_ADD, v, 0)); }
inline int __reduce_min_sync(unsigned mask, int v) { return int(dw_warp(mask, DW_REDUCE_MIN_S, unsigned(v), 0)); }
inline unsigned __reduce_min_sync(unsigned mask, unsigned v) { return unsigned(dw_warp(mask, DW_REDUCE_MIN_U, v, 0)); }
inline int __reduce_max_sync(unsigned mask, int v) { return int(dw_warp(mask, DW_REDUCE_MAX_S, unsigned(v), 0)); }
inline unsigned __reduce_max_sync(unsigned mask, unsigned v) { return unsigned(dw_warp(mask, DW_REDUCE_MAX_U, v, 0)); }
inline unsigned __reduce_and_sync(unsigned mask, unsigned v) { return unsigned(dw_warp(mask, DW_REDUCE_AND, v, 0)); }
inline unsigned __reduce_or_sync(unsigned mask, unsigned v) { return unsigned(dw_warp(mask, DW_REDUCE_OR, v, 0)); }
inline unsigned __reduce_xor_sync(unsigned mask, unsigned v) { return unsigned(dw_warp(mask, DW_REDUCE_XOR, v, 0)); }

#endif
