// Bulk copies and mbarriers at work. A load spoils its target at once, and lands when somebody waits for its barrier's phase
// and has nothing else to wait for; a store reads when its group is waited for. Copies land in a random order.
#ifndef DW_BULK_COPY_H
#define DW_BULK_COPY_H

#include "darwarp/bulk_copy.cuh"
#include "check.h"

namespace dw {

constexpr unsigned long long MBARRIER_MARK = 0x6d62617272696572;  // what is in shared memory in its place

// misuse ends the launch: what a thread asks for has no meaning.
__attribute__((noinline)) void misuse(Fiber& f, const char* kind, const std::string& what, const void* site, const char* access) {
    const Place p = place(f, site, access);
    f.block->fail(kind, name(f) + " " + what, &p, 1);
}

// barrier_at is the barrier at an address, known to this thread.
inline Mbarrier& barrier_at(Fiber& f, const void* at, const void* site) {
    Block& b = *f.block;
    Mbarrier* m = b.bulk.find(at);
    if (!m) misuse(f, "trap", "uses an mbarrier that no thread of the block has initialised", site, "uses");
    if (*static_cast<const unsigned long long*>(at) != MBARRIER_MARK) misuse(f, "trap", "uses an mbarrier that was overwritten", site, "uses");
    if (b.check && b.check->races && !b.check->clocks.before(m->made, b.check->clocks.now(f))) {
        const Place places[2] = {place(f, site, "uses"), place(b.fiber(m->made.thread()), m->site, "initialises")};
        b.fail("race", name(f) + " uses an mbarrier that " + name(b.fiber(m->made.thread())) + " initialises with no barrier between", places, 2);
    }
    return *m;
}

// end_phase_if_over lets all go on who wait for the phase.
inline void end_phase_if_over(Block& b, Mbarrier& m) {
    if (m.missing > 0 || m.bytes != 0) return;
    ++m.phase;
    m.missing = m.expected;
    m.passed_on = m.told;
    for (Fiber* f : m.waiting) f->mbarrier = nullptr, b.wake(*f);
    m.waiting.clear();
}

inline void arrive_at(Fiber& f, const void* at, unsigned bytes, const void* site) {
    Block& b = *f.block;
    Mbarrier& m = barrier_at(f, at, site);
    if (m.missing == 0) misuse(f, "trap", "arrives at an mbarrier at which all " + std::to_string(m.expected) + " of the phase have arrived", site, "arrives");
    if (b.check) b.check->clocks.tell(f, m.told);
    --m.missing;
    m.bytes += bytes;
    end_phase_if_over(b, m);
}

// cells calls f for the cells of a piece of shared memory.
template <class F>
inline void cells(Check& check, const void* p, unsigned bytes, F f) {
    const uintptr_t a = uintptr_t(p);
    if (!check.races || !check.thread_local_storage.holds(a)) return;
    const bool is_dynamic = check.dynamic.holds(a);
    const uintptr_t offset = a - (is_dynamic ? check.dynamic.base : check.thread_local_storage.base);
    for (unsigned i = 0; i < bytes; ++i) f((is_dynamic ? check.dynamic_shadow : check.static_shadow).at(offset + i));
}

// land_one ends the flight of one of a barrier's copies: from now on its bytes are its thread's writes.
inline void land_one(Block& b, Mbarrier& m) {
    const unsigned i = b.rng.below(unsigned(m.flying.size()));
    const BulkCopy c = m.flying[i];
    m.flying[i] = m.flying.back();
    m.flying.pop_back();
    memcpy(c.to, c.from, c.bytes);
    if (b.check) {
        const Stamp then = Stamp::of(b.check->clocks.now(b.fiber(c.owner)).epoch(), c.clock, c.owner);
        cells(*b.check, c.to, c.bytes, [&](Cell& cell) { b.check->clocks.land(cell, then); });
        m.told.resize(b.threads);
        if (m.told[c.owner] < c.clock) m.told[c.owner] = c.clock;
    }
    m.bytes -= c.bytes;
    end_phase_if_over(b, m);
}

// whole_words is what addresses and sizes of a bulk copy must be.
inline void whole_words(Fiber& f, const void* to, const void* from, unsigned bytes, const void* site, Access kind) {
    if (bytes == 0 || ((uintptr_t(to) | uintptr_t(from) | bytes) & 15))
        misuse(f, "misaligned", std::string(verb(kind)) + " " + std::to_string(bytes) + " bytes: addresses and size must be multiples of 16", site, verb(kind));
}

// in_shared makes sure that a piece is shared memory of the block, and looks at it.
inline void in_shared(Fiber& f, const void* p, unsigned bytes, Access kind, const void* site) {
    Check* check = f.block->check;
    if (!check) return;
    if (!check->thread_local_storage.holds(uintptr_t(p)))
        misuse(f, "out_of_bounds", std::string(verb(kind)) + " what is not shared memory of its block", site, verb(kind));
    check->access(f, uintptr_t(p), bytes, kind, site);
}

}  // namespace dw

// check_bulk: a copy must not outlive the shared memory that it is about.
inline void dw::Block::check_bulk(Fiber& me) {
    for (const BulkCopy& c : bulk.stores)
        if (c.owner == me.number) misuse(me, "race", "ends and has not waited for a bulk copy that it stores with", c.site, verb(BULK_READ));
    if (live > 1) return;
    for (const Mbarrier& m : bulk.barriers)
        if (!m.flying.empty()) misuse(fiber(m.flying[0].owner), "race", "fills with a bulk copy that nobody has waited for when the block ends", m.flying[0].site, verb(BULK_FILL));
}

void dw_mbarrier_init(void* at, unsigned arrivals) {
    dw::Fiber& f = self();
    dw::Block& b = *f.block;
    const void* site = __builtin_return_address(0);
    dw::look(at, 8, dw::WRITE, site, 8);
    if (arrivals == 0 || arrivals >= 1u << 20) dw::misuse(f, "trap", "initialises an mbarrier for " + std::to_string(arrivals) + " arrivals", site, "initialises");
    *static_cast<unsigned long long*>(at) = dw::MBARRIER_MARK;
    dw::Mbarrier* m = b.bulk.find(at);
    if (!m) {
        b.bulk.barriers.emplace_back();
        m = &b.bulk.barriers.back();
    } else if (!m->flying.empty() || !m->waiting.empty()) {
        dw::misuse(f, "race", "initialises an mbarrier that is in use", site, "initialises");
    }
    *m = dw::Mbarrier{at, arrivals, arrivals, 0, 0, false, {}, site, {}, {}, {}, {}};
    if (!b.check) return;
    b.check->clocks.widen(b.threads);
    m->made = b.check->clocks.now(f);
    b.check->clocks.tick(f);
}

void dw_mbarrier_fence() {
    for (dw::Mbarrier& m : self().block->bulk.barriers) m.fenced = true;
}

void dw_mbarrier_arrive(void* at, unsigned bytes) { dw::arrive_at(self(), at, bytes, __builtin_return_address(0)); }

void dw_mbarrier_wait(void* at, unsigned parity) {
    dw::Fiber& f = self();
    dw::Block& b = *f.block;
    f.site = __builtin_return_address(0);
    while (true) {
        dw::Mbarrier& m = dw::barrier_at(f, at, f.site);
        if ((m.phase & 1) != parity) {
            if (b.check) b.check->clocks.learn(f, m.passed_on);
            return;
        }
        if (!m.flying.empty() && ((b.nready == 0 && !b.upcoming) || b.rng.below(2) == 0)) {
            dw::land_one(b, m);
        } else if (!m.flying.empty()) {
            dw_yield();  // it may come later
        } else {
            f.mbarrier = at;
            m.waiting.push_back(&f);
            b.park(f);
        }
    }
}

void dw_bulk_load(void* shared, const void* global, unsigned bytes, void* barrier) {
    dw::Fiber& f = self();
    dw::Block& b = *f.block;
    const void* site = __builtin_return_address(0);
    dw::Mbarrier& m = dw::barrier_at(f, barrier, site);
    if (!m.fenced) dw::misuse(f, "race", "asks for a bulk copy, and no mbarrier_fence came after its mbarrier was initialised", site, "fills with a bulk copy");
    dw::whole_words(f, shared, global, bytes, site, dw::BULK_FILL);
    dw::in_shared(f, shared, bytes, dw::BULK_FILL, site);
    if (b.check && b.check->races) b.check->global(f, uintptr_t(global), bytes, dw::READ, site);
    memset(shared, 0xff, bytes);
    m.flying.push_back({shared, global, bytes, f.number, 0, b.check ? b.check->clocks.now(f).clock() : 0, site});
    if (b.check) b.check->clocks.tick(f);
}

void dw_bulk_store(void* global, const void* shared, unsigned bytes) {
    dw::Fiber& f = self();
    dw::Block& b = *f.block;
    const void* site = __builtin_return_address(0);
    dw::whole_words(f, global, shared, bytes, site, dw::BULK_READ);
    if (b.check) b.check->clocks.widen(b.threads);
    dw::in_shared(f, shared, bytes, dw::BULK_READ, site);
    if (b.check && b.check->races) b.check->global(f, uintptr_t(global), bytes, dw::WRITE, site);
    b.bulk.stores.push_back({global, shared, bytes, f.number, b.bulk.committed(f.number), 0, site});
}

void dw_bulk_commit() { ++self().block->bulk.committed(self().number); }

void dw_bulk_wait_read(unsigned pending) {
    dw::Fiber& f = self();
    dw::Block& b = *f.block;
    std::vector<dw::BulkCopy>& stores = b.bulk.stores;
    const unsigned groups = b.bulk.committed(f.number);
    for (size_t i = stores.size(); i-- > 0;) {
        const dw::BulkCopy c = stores[i];
        if (c.owner != f.number || c.group + pending >= groups) continue;
        memcpy(c.to, c.from, c.bytes);
        if (b.check) dw::cells(*b.check, c.from, c.bytes, [&](dw::Cell& cell) { b.check->clocks.leave(cell, b.check->clocks.now(f)); });
        stores.erase(stores.begin() + i);
    }
}

void dw_async_fence() {
    dw::Fiber& f = self();
    if (!f.block->check) return;
    f.block->check->clocks.widen(f.block->threads);
    f.block->check->clocks.fence(f);
}

#endif
