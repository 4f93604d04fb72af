// Warp-wide operations. Each lane leaves what it brings in its slot and waits; the last one that the mask
// names works everything out. Lanes that have returned are not waited for.
#ifndef DW_COLLECTIVE_H
#define DW_COLLECTIVE_H

#include "dw/warp.h"
#include "check.h"

namespace dw {

inline uint64_t reduce(int op, uint64_t a, uint64_t b) {
    switch (op) {
    case DW_REDUCE_ADD: return uint32_t(a + b);
    case DW_REDUCE_MIN_S: return int32_t(a) < int32_t(b) ? a : b;
    case DW_REDUCE_MIN_U: return a < b ? a : b;
    case DW_REDUCE_MAX_S: return int32_t(a) > int32_t(b) ? a : b;
    case DW_REDUCE_MAX_U: return a > b ? a : b;
    case DW_REDUCE_AND: return a & b;
    case DW_REDUCE_OR: return a | b;
    default: return a ^ b;
    }
}

// finish works out the results of the lanes in `present`, those of the mask that have not returned.
inline void finish(Warp& w, uint32_t present) {
    const int first = __builtin_ctz(present), op = w.lane[first].op;
    if (op == DW_SYNC) return;
    if (op == DW_MATRIX) {
        void* lanes[32];
        for (int l = 0; l < 32; ++l) lanes[l] = reinterpret_cast<void*>(w.lane[l].value);
        reinterpret_cast<void (*)(void* const*)>(w.lane[first].argument)(lanes);
        return;
    }
    uint64_t all = op == DW_BALLOT ? 0 : w.lane[first].value;
    bool same = true;
    for (uint32_t rest = present; rest; rest &= rest - 1) {
        const int l = __builtin_ctz(rest);
        const uint64_t v = w.lane[l].value;
        if (op == DW_BALLOT) all |= v << l;
        else if (op >= DW_REDUCE_ADD && op <= DW_REDUCE_XOR && l != first) all = reduce(op, all, v);
        same = same && v == w.lane[first].value;
    }
    for (uint32_t rest = present; rest; rest &= rest - 1) {
        Lane& lane = w.lane[__builtin_ctz(rest)];
        lane.result = all;
        if (op == DW_SHUFFLE)  // from a lane that takes no part comes anything: all ones, a NaN
            lane.result = present >> (lane.argument & 31) & 1 ? w.lane[lane.argument & 31].value : ~0ull;
        else if (op == DW_MATCH_ALL)
            lane.result = same ? present : 0;
        else if (op == DW_MATCH_ANY) {
            lane.result = 0;
            for (uint32_t r = present; r; r &= r - 1)
                if (w.lane[__builtin_ctz(r)].value == lane.value) lane.result |= 1u << __builtin_ctz(r);
        }
    }
}

// check_lane faults where a lane waits together with one that it names, but at something else.
__attribute__((noinline)) void check_lane(Block& b, unsigned warp, unsigned lane) {
    const Warp& w = b.warps[warp];
    const Lane& mine = w.lane[lane];
    for (uint32_t here = mine.mask & w.waiting; here; here &= here - 1) {
        const int l = __builtin_ctz(here);
        const Lane& o = w.lane[l];
        if (o.mask == mine.mask && o.op == mine.op && (o.op != DW_MATRIX || o.argument == mine.argument)) continue;
        const Fiber &f = b.fiber(warp * 32 + lane), &g = b.fiber(warp * 32 + l);
        const Place places[2] = {place(f, f.site, "waits"), place(g, g.site, "waits")};
        b.fail("divergence", name(f) + " and " + name(g) + " of one warp wait at different warp operations, or with different masks", places, 2);
    }
    if (mine.op == DW_MATRIX && w.gone) {
        const Fiber& f = b.fiber(warp * 32 + lane);
        const Place p = place(f, f.site, "waits");
        b.fail("divergence", name(f) + " is at a matrix operation that needs all 32 lanes of its warp, some of which have returned", &p, 1);
    }
}

inline void check_warp(Block& b, unsigned warp) {
    for (unsigned l = 0; l < 32; ++l)
        if (b.warps[warp].waiting >> l & 1) check_lane(b, warp, l);
}

// complete finishes the operation that `lane` waits at if everybody is there, and says so.
inline bool complete(Block& b, unsigned warp, unsigned lane, const Fiber* last) {
    Warp& w = b.warps[warp];
    const Lane& mine = w.lane[lane];
    const uint32_t present = mine.mask & ~w.gone;
    if ((w.waiting & present) != present) return false;
    check_lane(b, warp, lane);
    if (b.check && mine.op == DW_SYNC) b.check->sync_warp(warp, present);
    finish(w, present);
    w.waiting &= ~present;
    for (uint32_t rest = present; rest; rest &= rest - 1) {
        Fiber& f = b.fiber(warp * 32 + __builtin_ctz(rest));
        if (&f != last) b.wake(f);
    }
    return true;
}

// complete_after_exit looks again at who waits in a warp, now that one more lane has returned.
__attribute__((noinline)) void complete_after_exit(Block& b, unsigned warp) {
    for (unsigned l = 0; l < 32; ++l)
        if (b.warps[warp].waiting >> l & 1) complete(b, warp, l, nullptr);
}

__attribute__((noinline)) void not_named(Block& b, const Fiber& me) {
    const Place p = place(me, me.site, "calls");
    b.fail("divergence", name(me) + " is lane " + std::to_string(me.lane) + ", which the mask of its warp operation does not name", &p, 1);
}

inline uint64_t arrive(uint32_t mask, int op, uint64_t value, uint64_t argument, const void* site) {
    Fiber& me = self();
    Block& b = *me.block;
    me.site = site;
    if (!(mask >> me.lane & 1)) not_named(b, me);
    meet(me);
    Warp& w = b.warps[me.warp];
    w.lane[me.lane] = {mask, op, value, argument, 0};
    w.waiting |= 1u << me.lane;
    if (!complete(b, me.warp, me.lane, &me)) b.park(me);
    return w.lane[me.lane].result;
}

}  // namespace dw

uint64_t dw_warp(uint32_t mask, int op, uint64_t value, uint64_t argument) {
    return dw::arrive(mask, op, value, argument, __builtin_return_address(0));
}

void dw_warp_matrix(void* mine, void (*finish)(void* const*)) {
    dw::arrive(~0u, DW_MATRIX, uint64_t(mine), uint64_t(finish), __builtin_return_address(0));
}

#endif
