// Bulk copies and mbarriers at work. A load spoils its target at once, and lands when somebody waits for its barrier's phase
// and has nothing else to wait for; a store reads when its group is waited for. Copies land in a random order.
#ifndef DW_BULK_COPY_H
#define DW_BULK_COPY_H

#include "darwarp/bulk_copy.cuh"
#include "atomic.h"
#include "cluster.h"
#include "tensor_box.h"

namespace dw {

constexpr unsigned long long MBARRIER_MARK = 0x6d62617272696572;  // what is in shared memory in its place

// misuse ends the launch: what a thread asks for has no meaning.
__attribute__((noinline)) void misuse(Fiber& f, const char* kind, const std::string& what, const void* site, const char* access) {
    const Place p = place(f, site, access);
    f.block->fail(kind, name(f) + " " + what, &p, 1);
}

// barrier_at is the barrier at an address in the shared memory of block b, known to this thread.
inline Mbarrier& barrier_at(Fiber& f, Block& b, const void* at, const void* site) {
    if (b.live == 0) misuse(f, "race", "uses an mbarrier of a block of its cluster that has ended", site, "uses");
    Mbarrier* m = b.bulk.find(at);
    if (!m) misuse(f, "trap", "uses an mbarrier that no thread of the block has initialised", site, "uses");
    if (*static_cast<const unsigned long long*>(at) != MBARRIER_MARK) misuse(f, "trap", "uses an mbarrier that was overwritten", site, "uses");
    if (b.check && b.check->races && !m->shown && !b.check->clocks.ordered(m->made, f.block->check->clocks.now(f))) {
        const Fiber& maker = whose(b, m->made);
        const Place places[2] = {place(f, site, "uses"), place(maker, m->site, "initialises")};
        f.block->fail("race", name(f) + " uses an mbarrier that " + name(maker) + " initialises with no barrier between", places, 2);
    }
    return *m;
}

// wake_waiting lets all look again who wait for a barrier's phase.
inline void wake_waiting(Block& b, Mbarrier& m) {
    for (Fiber* f : m.waiting) f->mbarrier = nullptr, b.wake(*f);
    m.waiting.clear();
}

// end_phase_if_over lets all go on who wait for the phase.
inline void end_phase_if_over(Block& b, Mbarrier& m) {
    if (m.missing > 0 || m.bytes != 0) return;
    ++m.phase;
    m.missing = m.expected;
    m.passed_on = m.told;
    wake_waiting(b, m);
}

constexpr unsigned MOST_BYTES = (1u << 20) - 1;  // that a phase counts (PTX ISA, "mbarrier object contents")

// arrive_at is an arrival at a barrier of block b, which may be another one of the cluster.
inline void arrive_at(Fiber& f, Block& b, const void* at, unsigned bytes, const void* site) {
    Mbarrier& m = barrier_at(f, b, at, site);
    if (m.missing == 0) misuse(f, "trap", "arrives at an mbarrier at which all " + std::to_string(m.expected) + " of the phase have arrived", site, "arrives");
    if (f.block->check) f.block->check->clocks.tell(f, m.told);
    meet(f);
    if (f.block != &b) m.far = &f, m.far_phase = m.phase, m.far_site = site;
    --m.missing;
    m.bytes += bytes;
    if (m.bytes > MOST_BYTES) misuse(f, "trap", "announces more bytes than an mbarrier counts: " + std::to_string(MOST_BYTES), site, "arrives");
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
    if (c.map) load_box(c);
    else memcpy(c.to, c.from ? c.from : c.words, c.bytes);
    if (b.check) {
        const Stamp then = c.owner->block->check->clocks.again(c.then);
        cells(*b.check, c.to, c.map ? room_of(*c.map) : c.bytes, [&](Cell& cell) { b.check->clocks.land(cell, then); });
        b.check->clocks.tell_of(then, m.told);
    }
    m.bytes -= c.bytes;
    end_phase_if_over(b, m);
}

// whole_words is what addresses and sizes of a bulk copy must be.
inline void whole_words(Fiber& f, const void* to, const void* from, unsigned bytes, const void* site, Access kind) {
    if (bytes == 0 || ((uintptr_t(to) | uintptr_t(from) | bytes) & 15))
        misuse(f, "misaligned", std::string(verb(kind)) + " " + std::to_string(bytes) + " bytes: addresses and size must be multiples of 16", site, verb(kind));
}

// in_shared makes sure that a piece is shared memory of block b, and looks at it.
inline void in_shared(Fiber& f, Block& b, const void* p, unsigned bytes, Access kind, const void* site) {
    Check* check = b.check;
    if (!check) return;
    if (!check->thread_local_storage.holds(uintptr_t(p)))
        misuse(f, "out_of_bounds", std::string(verb(kind)) + " what is not shared memory of its block", site, verb(kind));
    check->access(f, uintptr_t(p), bytes, kind, site);
}

// fly sends a load on its way to block b, which may be another one of the cluster: its target is spoilt.
inline void fly(Fiber& f, Block& b, BulkCopy c, void* barrier) {
    Mbarrier& m = barrier_at(f, b, barrier, c.site);
    if (!m.fenced) misuse(f, "race", "asks for a bulk copy, and no mbarrier_fence came after its mbarrier was initialised", c.site, verb(BULK_FILL));
    const unsigned room = c.map ? room_of(*c.map) : c.bytes;
    in_shared(f, b, c.to, room, BULK_FILL, c.site);
    memset(c.to, 0xff, room);
    c.owner = &f;
    if (b.check) c.then = f.block->check->clocks.now(f);
    m.flying.push_back(c);
    wake_waiting(b, m);
}

// leave_shared sends a store on its way.
inline void leave_shared(Fiber& f, BulkCopy c) {
    Block& b = *f.block;
    c.group = b.bulk.committed(f.number);
    if (b.check) c.then = b.check->clocks.now(f);
    b.bulk.stores.push_back(c);
}

// store_run asks for a run of bytes to be written, or added to what is there as by atomics.
inline void store_run(Fiber& f, const BulkCopy& c, Access kind) {
    Check* check = f.block->check;
    whole_words(f, c.to, c.from, c.bytes, c.site, BULK_READ);
    if (check) check->clocks.widen();
    in_shared(f, *f.block, c.from, c.bytes, BULK_READ, c.site);
    if (check && check->races) check->global(f, uintptr_t(c.to), c.bytes, kind, c.site, LATER);
    leave_shared(f, c);
}

// write_global is what a store comes to.
inline void write_global(const BulkCopy& c) {
    if (c.map) return store_box(c);
    if (!c.adds) return void(memcpy(c.to, c.from, c.bytes));
    for (unsigned i = 0; i < c.bytes / 4; ++i)
        update<uint32_t>(DW_ADD_FLOAT, static_cast<uint32_t*>(c.to) + i, static_cast<const uint32_t*>(c.from)[i], 0);
}

// cells_read calls f for the cells of shared memory that a store reads: of a box, what lies inside the tensor.
template <class F>
inline void cells_read(Check& check, const BulkCopy& c, F f) {
    if (!c.map) return cells(check, c.from, c.bytes, f);
    each_chunk(c, c.from, [&](const unsigned char* shared, unsigned char*, unsigned from, unsigned to) {
        if (from < to) cells(check, shared + from, to - from, f);
    });
}

}  // namespace dw

// check_bulk: a copy must not outlive the shared memory that it is about, nor an arrival from another block.
inline void dw::Block::check_bulk(Fiber& me) {
    for (const BulkCopy& c : bulk.stores)
        if (c.owner == &me) misuse(me, "race", "ends and has not waited for a bulk copy that it stores with", c.site, verb(BULK_READ));
    if (live > 1) return;
    for (const Mbarrier& m : bulk.barriers) {
        if (!m.flying.empty()) {
            const BulkCopy& c = m.flying[0];
            const Place p = place(*c.owner, c.site, verb(BULK_FILL));
            fail("race", name(*c.owner) + " fills with a bulk copy that nobody has waited for when the block ends", &p, 1);
        }
        if (m.far && m.far_phase >= m.seen) {
            const Place p = place(*m.far, m.far_site, "arrives");
            fail("race", name(*m.far) + " arrives at an mbarrier of another block, which ends and has not waited for that phase", &p, 1);
        }
    }
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
    *m = dw::Mbarrier{at, arrivals, arrivals, 0, 0, false, false, {}, site, {}, {}, {}, {}};
    if (!b.check) return;
    b.check->clocks.widen();
    m->made = b.check->clocks.now(f);
    b.check->clocks.tick(f);
}

void dw_mbarrier_fence() {
    for (dw::Mbarrier& m : self().block->bulk.barriers) m.fenced = true;
}

void dw_mbarrier_arrive(void* at, unsigned bytes) { dw::arrive_at(self(), *self().block, at, bytes, __builtin_return_address(0)); }

void dw_mbarrier_wait(void* at, unsigned parity) {
    dw::Fiber& f = self();
    dw::Block& b = *f.block;
    f.site = __builtin_return_address(0);
    if (parity > 1) dw::misuse(f, "trap", "waits for the phase of an mbarrier of parity " + std::to_string(int(parity)) + ", which is neither 0 nor 1", f.site, "waits");
    while (true) {
        dw::Mbarrier& m = dw::barrier_at(f, b, at, f.site);
        if ((m.phase & 1) != parity) {
            if (b.check) b.check->clocks.learn(f, m.passed_on);
            m.seen = m.phase;
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

namespace dw {

// load_run asks for a run of bytes in the shared memory of all blocks of the cluster that have their bit set.
inline void load_run(void* shared, const void* global, unsigned bytes, void* barrier, uint32_t blocks, const void* site) {
    Fiber& f = self();
    Block& b = *f.block;
    whole_words(f, shared, global, bytes, site, BULK_FILL);
    if (blocks >> b.cluster->size)
        misuse(f, "out_of_bounds", "fills shared memory of block " + std::to_string(31 - __builtin_clz(blocks)) + " of its cluster, which has no such block", site, verb(BULK_FILL));
    if (b.check && b.check->races) b.check->global(f, uintptr_t(global), bytes, READ, site);
    for (unsigned rank = 0; rank < b.cluster->size; ++rank)
        if (blocks >> rank & 1)
            fly(f, *b.cluster->blocks[rank], {in_block(b, shared, rank), global, bytes, nullptr, 0, {}, site, nullptr, {}}, in_block(b, barrier, rank));
    if (b.check) b.check->clocks.tick(f);
}

}  // namespace dw

void dw_bulk_load(void* shared, const void* global, unsigned bytes, void* barrier) {
    dw::load_run(shared, global, bytes, barrier, 1u << self().block->rank, __builtin_return_address(0));
}

void dw_bulk_load_multicast(void* shared, const void* global, unsigned bytes, void* barrier, unsigned blocks) {
    dw::load_run(shared, global, bytes, barrier, blocks, __builtin_return_address(0));
}

void dw_cluster_send(void* p, unsigned rank, const void* words, void* barrier) {
    dw::Fiber& f = self();
    dw::Block& b = *f.block;
    const void* site = __builtin_return_address(0);
    if (rank >= b.cluster->size)
        dw::misuse(f, "out_of_bounds", "sends to block " + std::to_string(rank) + " of its cluster, which has no such block", site, "sends");
    dw::BulkCopy c{dw::in_block(b, p, rank), nullptr, 16, nullptr, 0, {}, site, nullptr, {}};
    memcpy(c.words, words, 16);
    dw::whole_words(f, c.to, nullptr, 16, site, dw::BULK_FILL);
    dw::fly(f, *b.cluster->blocks[rank], c, dw::in_block(b, barrier, rank));
    if (b.check) b.check->clocks.tick(f);
}

void dw_bulk_store(void* global, const void* shared, unsigned bytes) {
    dw::store_run(self(), {global, shared, bytes, &self(), 0, {}, __builtin_return_address(0), nullptr, {}}, dw::WRITE);
}

void dw_bulk_add(float* global, const float* shared, unsigned bytes) {
    dw::store_run(self(), {global, shared, bytes, &self(), 0, {}, __builtin_return_address(0), nullptr, {}, true}, dw::ATOMIC);
}

void dw_bulk_commit() { ++self().block->bulk.committed(self().number); }

void dw_bulk_wait_read(unsigned pending) {
    dw::Fiber& f = self();
    dw::Block& b = *f.block;
    std::vector<dw::BulkCopy>& stores = b.bulk.stores;
    const unsigned groups = b.bulk.committed(f.number);
    for (size_t i = stores.size(); i-- > 0;) {
        const dw::BulkCopy c = stores[i];
        if (c.owner != &f || c.group + pending >= groups) continue;
        dw::write_global(c);
        if (b.check) dw::cells_read(*b.check, c, [&](dw::Cell& cell) { b.check->clocks.leave(cell, c.then, b.check->clocks.now(f), dw::BULK_READ, c.site); });
        stores.erase(stores.begin() + i);
    }
}

void dw_async_fence() {
    dw::Fiber& f = self();
    if (!f.block->check) return;
    f.block->check->clocks.widen();
    f.block->check->clocks.fence(f);
}

#endif
