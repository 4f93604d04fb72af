// The checks of --races. Every access of a kernel is looked at: the compiler calls a hook for each load and
// store (hooks.h), the runtime's own functions call look. Blocks then run one at a time.
#ifndef DW_CHECK_H
#define DW_CHECK_H

#include "block.h"
#include "counters.h"
#include "grid.h"
#include "lines.h"
#include "shadow.h"
#include "symbols.h"
#include "dw/memory.h"

namespace dw {

struct Range {
    uintptr_t base, bytes;
    bool holds(uintptr_t a) const { return a - base < bytes; }
};

struct Check {
    bool races = false, counting = false;
    Range dynamic{}, thread_local_storage{}, image{}, stacks{};
    std::vector<Variable> variables;  // static shared memory, by offset in the thread-local storage
    Shadow dynamic_shadow, static_shadow;
    Counters counters;
    Judge clocks;
    GridRaces* grid = nullptr;  // of all blocks; null: races through global memory are not looked for

    // The first read of the block of what nobody had written. It is not reported at once: if another thread writes
    // there before the next barrier, the fault is their race. (Until then the kernel computes with poison.)
    std::string unwritten;
    Place unwritten_place;

    // The last write to shared memory that was at odds with another one. It is a race if it changes what is there: threads may
    // store the same number side by side.
    struct Twin {
        Fiber* writer = nullptr;  // null: there is none
        const Shadow* shadow;
        uintptr_t offset;
        unsigned size;
        Conflict bad;
        const void* site;
        unsigned char old[16];
    } twin;

    void start(Block& b);
    void settle();
    const void* memory(const Shadow& shadow, uintptr_t offset) const {
        return reinterpret_cast<const void*>((&shadow == &dynamic_shadow ? dynamic.base : thread_local_storage.base) + offset);
    }
    [[noreturn]] void race(Fiber& f, const Shadow& shadow, uintptr_t offset, unsigned size, Access kind, const void* site, const Conflict& bad);
    void leave(Fiber& f);
    void report_unwritten(Block& b);
    void barrier(Block& b, const Fiber* last);
    void cluster_barrier();
    bool remote(Fiber& f, uintptr_t a, unsigned size, Access kind, const void* site);
    void sync_warp(unsigned warp, uint32_t lanes) {
        settle();
        clocks.sync(warp, lanes);
        counters.settle_warp(warp);
    }
    void access(Fiber& f, uintptr_t a, unsigned size, Access kind, const void* site, Manner manner = PLAIN);
    void shared(Fiber& f, Shadow& shadow, uintptr_t offset, unsigned size, Access kind, const void* site);
    void global(Fiber& f, uintptr_t a, unsigned size, Access kind, const void* site, Manner manner = PLAIN);
    void land(Fiber& f, const Copy& c);
    std::string shared_name(const Shadow& shadow, uintptr_t offset) const;
};

// whose is the thread of a stamp; the first one's of a warpgroup, where it is tensor cores'.
const Fiber& whose(const Block& b, Stamp s);

inline const char* verb(Access kind) {
    static const char* const verbs[] = {"reads", "writes", "updates", "fills with cp.async", "fills with a bulk copy", "stores with a bulk copy", "multiplies with wgmma"};
    return verbs[kind];
}

inline void Check::start(Block& b) {
    clocks.start_block();
    counters.start_block(b.threads);
    unwritten.clear();
    twin.writer = nullptr;
}

// settle sees what the last write has changed, now that it is done.
inline void Check::settle() {
    Fiber* f = twin.writer;
    twin.writer = nullptr;
    if (f && memcmp(memory(*twin.shadow, twin.offset), twin.old, twin.size)) race(*f, *twin.shadow, twin.offset, twin.size, WRITE, twin.site, twin.bad);
}

inline void Check::report_unwritten(Block& b) {
    if (!unwritten.empty()) b.fail("uninitialised", unwritten, &unwritten_place, 1);
}

inline void Check::leave(Fiber& f) {
    settle();
    counters.settle(f);
    if (f.block->live == 0) report_unwritten(*f.block);
}

// barrier is called when all threads have arrived. Threads that come from different places of the source
// have diverged: the hardware may or may not pair their barriers.
inline void Check::barrier(Block& b, const Fiber* last) {
    settle();
    report_unwritten(b);
    clocks.next_epoch();
    counters.settle_all();
    if (grid)
        for (unsigned i = 0; i < b.nwaiting; ++i) grid->meet(*b.waiting[i]);
    if (!races) return;
    for (unsigned i = 0; i < b.nwaiting; ++i) {
        const Fiber &f = *b.waiting[i], &g = last ? *last : *b.waiting[0];
        if (f.site == g.site || same_line(f.site, g.site)) continue;
        const Place places[2] = {place(g, g.site, "waits"), place(f, f.site, "waits")};
        b.fail("divergence", name(g) + " and " + name(f) + " wait at different __syncthreads", places, 2);
    }
}

inline void Check::access(Fiber& f, uintptr_t a, unsigned size, Access kind, const void* site, Manner manner) {
    settle();
    if (stacks.holds(a)) return;  // a thread's own variables
    if (thread_local_storage.holds(a)) {
        if (grid && (kind == ATOMIC || manner == VOLATILE)) grid->meet(f);
        const bool is_dynamic = dynamic.holds(a);
        const uintptr_t offset = a - (is_dynamic ? dynamic.base : thread_local_storage.base);
        for (const Variable& v : variables)
            if (v.guard && !is_dynamic && offset - v.offset < v.bytes) return;
        if (is_dynamic && offset + size > f.block->launch->smem) {
            const Place p = place(f, site, verb(kind));
            const uintptr_t past = offset + size - f.block->launch->smem;
            f.block->fail("out_of_bounds", name(f) + " " + verb(kind) + " " + std::to_string(size) + " bytes up to " + std::to_string(past) +
                          " past the end of the block's " + std::to_string(f.block->launch->smem) + " bytes of dynamic shared memory", &p, 1);
        }
        if (counting && kind < BULK_FILL) counters.record(f, site, SHARED, a, size, kind);
        if (races) shared(f, is_dynamic ? dynamic_shadow : static_shadow, offset, size, kind, site);
        return;
    }
    if (image.holds(a)) {  // constants and __device__ variables
        if (grid && kind != READ) grid->signal();
        return;
    }
    if (remote(f, a, size, kind, site)) return;
    if (counting) counters.record(f, site, GLOBAL, a, size, kind);
    if (races) global(f, a, size, kind, site, manner);
}

// cluster_barrier orders everything in all blocks of a cluster.
inline void Check::cluster_barrier() {
    settle();
    clocks.next_epoch();
    counters.settle_all();
}

inline std::string Check::shared_name(const Shadow& shadow, uintptr_t offset) const {
    if (&shadow == &dynamic_shadow) return "dynamic shared memory at offset " + std::to_string(offset);
    for (const Variable& v : variables)
        if (offset - v.offset < v.bytes) return "shared memory, " + v.name + " at offset " + std::to_string(offset - v.offset);
    return "shared memory";
}

inline void Check::race(Fiber& f, const Shadow& shadow, uintptr_t offset, unsigned size, Access kind, const void* site, const Conflict& bad) {
    const Fiber& other = whose(*f.block, bad.other);
    const char* did = verb(bad.other_access);
    const Place places[2] = {place(f, site, verb(kind)), place(other, bad.site, did)};
    f.block->fail("race", name(f) + " " + verb(kind) + " " + std::to_string(size) + " bytes of " + shared_name(shadow, offset) + ", which " + name(other) + " " + did +
                  (bad.kind == Conflict::IN_FLIGHT ? " and has not waited for" : bad.kind == Conflict::UNFENCED ? " with no async_fence after it" : " with no barrier between"), places, 2);
    abort();
}

inline void Check::shared(Fiber& f, Shadow& shadow, uintptr_t offset, unsigned size, Access kind, const void* site) {
    const Stamp now = f.block->check->clocks.now(f);
    for (unsigned i = 0; i < size; ++i) {
        Cell& c = shadow.at(offset + i);
        Conflict bad = clocks.look(c, now, kind, site);
        if (bad.kind == Conflict::RACE && kind == WRITE && bad.other_access == WRITE && size <= sizeof twin.old) {
            twin = {&f, &shadow, offset, size, bad, site, {}};
            memcpy(twin.old, memory(shadow, offset), size);
            bad = clocks.look(c, now, kind, site, true);
        }
        if (bad.kind == Conflict::NONE) continue;
        if (bad.kind != Conflict::UNINITIALISED) race(f, shadow, offset, size, kind, site, bad);
        if (unwritten.empty()) {
            unwritten = name(f) + " " + verb(kind) + " " + std::to_string(size) + " bytes of " + shared_name(shadow, offset) + ", where no thread of the block has written";
            unwritten_place = place(f, site, verb(kind));
        }
    }
}

inline void Check::global(Fiber& f, uintptr_t a, unsigned size, Access kind, const void* site, Manner manner) {
    const Launch& l = *f.block->launch;
    const dw_buffer* near = nullptr;
    uintptr_t distance = ~uintptr_t(0);
    bool before = false;
    for (int i = 0; i < l.nbuffers; ++i) {
        const dw_buffer& b = l.buffers[i];
        const uintptr_t base = uintptr_t(b.base), end = base + b.bytes;
        if (a >= base && a + size <= end) {
            if (grid && b.writable) grid->look(f, unsigned(i), a - base, size, kind, manner, site);
            if (kind == READ || b.writable) return;
            const Place p = place(f, site, verb(kind));
            f.block->fail("out_of_bounds", name(f) + " " + verb(kind) + " " + std::to_string(size) + " bytes at offset " +
                          std::to_string(a - base) + " of " + b.name + ", which is read-only", &p, 1);
        }
        const uintptr_t d = a + size > end && a >= base ? a + size - end : base > a ? base - a : ~uintptr_t(0);
        if (d < distance) distance = d, near = &b, before = a < base;
    }
    report_unwritten(*f.block);  // an address made of poison is the same fault
    const Place p = place(f, site, verb(kind));
    std::string where = ", and the launch has no buffers";
    if (near)
        where = before ? ", " + std::to_string(distance) + " bytes before " + near->name
                       : ", up to " + std::to_string(distance) + " bytes past the end of " + near->name;
    if (near) where += " (" + std::to_string(near->bytes) + " bytes)";
    f.block->fail("out_of_bounds", name(f) + " " + verb(kind) + " " + std::to_string(size) + " bytes of global memory" + where, &p, 1);
}

// land ends a copy's flight: from now on its bytes are its thread's writes.
inline void Check::land(Fiber& f, const Copy& c) {
    const uintptr_t a = uintptr_t(c.to);
    if (!races || !thread_local_storage.holds(a)) return;
    Shadow& shadow = dynamic.holds(a) ? dynamic_shadow : static_shadow;
    const uintptr_t offset = a - (dynamic.holds(a) ? dynamic.base : thread_local_storage.base);
    for (unsigned i = 0; i < c.bytes; ++i) clocks.land(shadow.at(offset + i), clocks.now(f));
}

// meet is called where a thread shows others of its block or cluster what it did.
inline void meet(Fiber& f) {
    if (f.block->check && f.block->check->grid) f.block->check->grid->meet(f);
}

// look is called for every access that the runtime or the compiler knows of.
inline void look(const void* p, unsigned size, Access kind, const void* site, unsigned alignment, Manner manner = PLAIN) {
    Fiber& f = self();
    const uintptr_t a = uintptr_t(p);
    if (a & (alignment - 1)) {
        const Place at = place(f, site, verb(kind));
        f.block->fail("misaligned", name(f) + " " + verb(kind) + " " + std::to_string(size) + " bytes at an address that is no multiple of " +
                      std::to_string(alignment), &at, 1);
    }
    if (f.block->check) f.block->check->access(f, a, size, kind, site, manner);
}

}  // namespace dw

#endif
