// Boxes of tensors, as a tensor map describes them: what lies where, in global and in shared memory.
#ifndef DW_TENSOR_BOX_H
#define DW_TENSOR_BOX_H

#include "bulk.h"

namespace dw {

inline unsigned box_bytes(const dw_tensor_map& map) {
    unsigned n = map.element;
    for (unsigned i = 0; i < map.rank; ++i) n *= map.box[i];
    return n;
}

// room_of is what a box takes of shared memory: its bytes, and up to the end of the swizzle's last pattern.
inline unsigned room_of(const dw_tensor_map& map) {
    const unsigned n = box_bytes(map), whole = map.swizzle > 16 ? map.swizzle : 16;
    return (n + whole - 1) / whole * whole;
}

// swizzled exchanges the 16-byte chunks of a shared address as the copy engine does: bits 4 to 6 with bits 7 to 9 where the
// swizzle is 128 bytes, one bit less for each half of it (CUDA C++ Programming Guide, "Shared Memory Bank Swizzling").
inline uintptr_t swizzled(uintptr_t a, unsigned swizzle) { return a ^ ((a >> 7 & (swizzle / 16 ? swizzle / 16 - 1 : 0)) << 4); }

// each_chunk calls f for the 16-byte chunks of a copy's box: where the chunk is in shared memory, where it would begin in
// global memory, and which of its bytes, from and to, are elements of the tensor.
template <class F>
inline void each_chunk(const BulkCopy& c, const void* shared, F f) {
    const dw_tensor_map& m = *c.map;
    const long long rows = (long long)m.shape[0], columns = (long long)m.shape[1], each = 16 / m.element;
    const unsigned line = m.box[1] * m.element;
    const auto within = [&](long long i) { return unsigned(i < 0 ? 0 : i > each ? each : i) * m.element; };
    for (unsigned r = 0; r < m.box[0]; ++r) {
        const long long row = (long long)c.row + r;
        for (unsigned at = 0; at < line; at += 16) {
            const long long column = (long long)c.column + at / m.element;
            const bool inside = row >= 0 && row < rows;
            f(reinterpret_cast<unsigned char*>(swizzled(uintptr_t(shared) + r * line + at, m.swizzle)),
              reinterpret_cast<unsigned char*>(uintptr_t(m.base) + uintptr_t((row * columns + column) * m.element)),
              inside ? within(-column) : 0, inside ? within(columns - column) : 0);
        }
    }
}

inline void load_box(const BulkCopy& c) {
    each_chunk(c, c.to, [](unsigned char* shared, const unsigned char* global, unsigned from, unsigned to) {
        if (to - from != 16 || to < from) memset(shared, 0, 16);
        if (from < to) memcpy(shared + from, global + from, to - from);
    });
}

inline void store_box(const BulkCopy& c) {
    each_chunk(c, c.from, [](const unsigned char* shared, unsigned char* global, unsigned from, unsigned to) {
        if (from < to) memcpy(global + from, shared + from, to - from);
    });
}

}  // namespace dw

#endif
