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

// row_of finds line l of a copy's box among the rows of the tensor, and says whether it lies in the tensor.
inline bool row_of(const BulkCopy& c, unsigned l, long long& row) {
    const dw_tensor_map& m = *c.map;
    long long step = 1;
    bool inside = true;
    for (unsigned d = m.rank - 1; d-- > 0; l /= m.box[d], step *= (long long)m.shape[d]) {
        const long long i = (long long)c.at[d] + l % m.box[d];
        inside = inside && i >= 0 && i < (long long)m.shape[d];
        row += i * step;
    }
    return inside;
}

// each_chunk calls f for the 16-byte chunks of a copy's box: where the chunk is in shared memory, where it would begin in
// global memory, and which of its bytes, from and to, are elements of the tensor.
template <class F>
inline void each_chunk(const BulkCopy& c, const void* shared, F f) {
    const dw_tensor_map& m = *c.map;
    const unsigned inner = m.rank - 1, line = m.box[inner] * m.element;
    const long long columns = (long long)m.shape[inner], each = 16 / m.element;
    const auto within = [&](long long i) { return unsigned(i < 0 ? 0 : i > each ? each : i) * m.element; };
    const unsigned lines = box_bytes(m) / line;
    for (unsigned l = 0; l < lines; ++l) {
        long long row = 0;  // of all the tensor's
        const bool inside = row_of(c, l, row);
        for (unsigned at = 0; at < line; at += 16) {
            const long long column = (long long)c.at[inner] + at / m.element;
            f(reinterpret_cast<unsigned char*>(swizzled(uintptr_t(shared) + l * line + at, m.swizzle)),
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
