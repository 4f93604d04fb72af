// Who runs next. A thread runs at full speed until it waits; then one of those who can run is drawn.
#ifndef DW_SCHEDULE_H
#define DW_SCHEDULE_H

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "async_copy.h"
#include "check.h"
#include "cluster.h"
#include "collective.h"

namespace dw {

inline std::string name(const Fiber& f) {
    const uint3 t = f.thread;
    return "thread (" + std::to_string(t.x) + "," + std::to_string(t.y) + "," + std::to_string(t.z) + ")";
}

// fail records the first fault and abandons all fibers: the stack of the OS thread takes over for good.
__attribute__((noinline)) void Block::fail(const char* kind, std::string message, const Place* places, int count) {
    fault.kind = kind;
    fault.message = std::move(message);
    fault.count = count;
    for (int i = 0; i < count; ++i) fault.places[i] = places[i];
    void* abandoned;
    dw_switch(&abandoned, scheduler);
    abort();
}

// stuck: nobody can run and the barrier is not complete, so some threads wait for others that wait for them.
__attribute__((noinline)) void Block::stuck() {
    for (unsigned w = 0; w * 32 < threads; ++w) check_warp(*this, w);
    const Fiber *a = nullptr, *b = nullptr;
    for (unsigned i = 0; i < threads; ++i) {
        const Fiber& f = fiber(i);
        if (f.done) continue;
        if (!a) a = &f;
        if (!b && (f.at_barrier != a->at_barrier || f.at_cluster != a->at_cluster || f.mbarrier != a->mbarrier || f.at_wgmma != a->at_wgmma)) b = &f;
    }
    if (!a) {  // this block is done, others of its cluster are not
        Place none{nullptr, {}, {}, "waits"};
        fail("deadlock", "threads of the cluster's other blocks wait for each other", &none, 0);
    }
    auto what = [this](const Fiber& f) {
        if (f.mbarrier) return name(f) + " waits at " + bulk.find(f.mbarrier)->say();
        if (f.at_wgmma) return name(f) + " waits for " + warpgroups[f.number / 128].say();
        return name(f) + (f.at_barrier ? " waits at __syncthreads" : f.at_cluster ? " waits at the cluster's barrier" : " waits at a warp operation");
    };
    std::string message = what(*a) + (b ? ", " + what(*b) : " for lanes that are elsewhere");
    Place places[2] = {place(*a, a->site, "waits"), b ? place(*b, b->site, "waits") : Place{}};
    fail("deadlock", message, places, b ? 2 : 1);
}

// mixed is kept out of dw_barrier: what it needs of the stack, every waiting thread would keep in the cache.
__attribute__((noinline)) void Block::mixed(Fiber& me) {
    const Fiber& other = *waiting[0];
    const Place places[2] = {place(me, me.site, "waits"), place(other, other.site, "waits")};
    fail("divergence", name(me) + " and " + name(other) + " wait at different forms of __syncthreads", places, 2);
}

// draw chooses who runs after the next switch and asks for what it will touch first.
inline void Block::draw() {
    upcoming = nullptr;
    if (nready == 0) return;
    const unsigned i = rng.below(nready);
    upcoming = ready[i];
    ready[i] = ready[--nready];
    const char* top = static_cast<const char*>(stack_top(unsigned(upcoming - &fiber(0))));
    __builtin_prefetch(upcoming);
    __builtin_prefetch(reinterpret_cast<const char*>(upcoming) + 64);
    for (int line = 1; line <= 5; ++line) __builtin_prefetch(top - 64 * line);
}

inline Fiber* Block::next() {
    if (!upcoming) draw();
    if (!upcoming) {
        if (!hand_over()) stuck();
        if (!upcoming) draw();
    }
    Fiber* f = upcoming;
    draw();
    return f;
}

inline void Block::park(Fiber& me) {
    Fiber* f = next();
    if (f != &me) dw_switch(&me.sp, f->sp);
}

__attribute__((noinline)) void Block::release(Fiber* last) {
    votes = uint64_t(nwaiting) << 32 | yes;
    if (check) check->barrier(*this, last);
    for (unsigned i = 0; i < nwaiting; ++i) {
        waiting[i]->at_barrier = false;
        ready[i] = waiting[i];
    }
    nready = nwaiting;
    nwaiting = yes = 0;
}

// leave ends a thread: those who wait need not wait for it any longer.
inline void Block::leave(Fiber& me) {
    check_bulk(me);
    check_wgmma(me);
    land_all(me);
    me.done = true;
    --live;
    Warp& w = warps[me.warp];
    w.gone |= 1u << me.lane;
    if (check) check->leave(me);
    if (w.waiting) complete_after_exit(*this, me.warp);
    release_if_complete(nullptr);
    --cluster->live;
    if (me.arrived && me.cluster_phase == uint8_t(cluster->phase)) --cluster->arrived;
    cluster->complete_if_all();
    if (live == 0) {
        dw_switch(&me.sp, scheduler);
        abort();
    }
    park(me);
    abort();
}

// make_room prepares stacks for so many threads. A page at the low end of each is a guard: a thread that uses
// more stack than there is crashes here and not in its neighbour.
inline bool Block::make_room(unsigned n) {
    const uintptr_t page = uintptr_t(sysconf(_SC_PAGESIZE));
    if (!region) {
        void* p = mmap(nullptr, 2 * REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) return false;
        const uintptr_t low = uintptr_t(p);
        region = (low + REGION - 1) & ~(REGION - 1);  // aligned; what is before and behind goes back
        if (region > low) munmap(p, region - low);
        if (region < low + REGION) munmap(reinterpret_cast<void*>(region + REGION), low + REGION - region);
    }
    if (page > STEP / 4) room = n > room ? n : room;  // pages are too large for guards
    for (; room < n; ++room) {
        const uintptr_t guard = (region + HEADERS + room * STEP + page - 1) & ~(page - 1);
        if (mprotect(reinterpret_cast<void*>(guard), page, PROT_NONE) != 0) return false;
    }
    return true;
}

// prepare makes the threads of the block at `index` of the grid, none of which has begun.
inline void Block::prepare(uint3 index) {
    const uint3 g = launch->grid, b = launch->block;
    const uint64_t number = index.x + uint64_t(g.x) * (index.y + uint64_t(g.y) * index.z);
    threads = live = b.x * b.y * b.z;
    nready = nwaiting = yes = atomics = 0;
    rng = Rng(launch->options.seed ^ mix(number));
    for (unsigned i = 0; i < threads; ++i) {
        Fiber& f = fiber(i);
        Copy* copies = f.copies;
        const unsigned had = f.room;
        f = Fiber{{i % b.x, i / b.x % b.y, i / b.x / b.y}, index, g, dim3(b), fresh_stack(stack_top(i)), this, i, i % 32,
                  i / 32, false, false, false, false, nullptr, 0, 0, false, 0, 0, had, copies, nullptr};
        ready[nready++] = &f;
    }
    for (unsigned w = 0; w * 32 < threads; ++w) {
        const unsigned lanes = threads - w * 32;
        warps[w].waiting = 0;
        warps[w].gone = lanes < 32 ? ~0u << lanes : 0;
    }
    bulk.clear();
    warpgroups.clear();
    if (check) check->start(*this);
    upcoming = nullptr;
}

// run takes the block from its first thread's start to its last one's end, or to a fault.
inline void Block::run() { dw_switch(&scheduler, next()->sp); }

}  // namespace dw

using dw::self;

extern "C" void dw_enter() {
    dw::Fiber& f = self();
    const dw::Launch& l = *f.block->launch;
    const uint64_t* a = l.args;
    // Integers and pointers travel in registers, then in 8-byte slots of the stack: a kernel takes as many
    // as it declares and never sees the others (System V and AAPCS64 calling conventions).
    typedef uint64_t U;
    if (l.nargs <= 6)
        reinterpret_cast<void (*)(U, U, U, U, U, U)>(l.kernel)(a[0], a[1], a[2], a[3], a[4], a[5]);
    else
        reinterpret_cast<void (*)(U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U)>(l.kernel)(
            a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15], a[16],
            a[17], a[18], a[19], a[20], a[21], a[22], a[23]);
    f.block->leave(f);
}

uint64_t dw_barrier(int kind, int predicate) {
    dw::Fiber& me = self();
    dw::Block& b = *me.block;
    me.site = __builtin_return_address(0);
    me.at_barrier = true;
    dw::drift(me);
    if (b.nwaiting == 0) b.barrier_kind = kind;
    if (b.barrier_kind != kind) b.mixed(me);
    b.yes += predicate;
    b.waiting[b.nwaiting++] = &me;
    b.release_if_complete(&me);
    b.park(me);
    return b.votes;
}

void dw_yield() {
    dw::Fiber& me = self();
    me.block->wake(me);
    if (me.block->cluster->size > 1) me.block->offer();
    me.block->park(me);
}

void dw_trap(const char* what) {
    dw::Fiber& me = self();
    const dw::Place p = dw::place(me, __builtin_return_address(0), "traps");
    me.block->fail("trap", dw::name(me) + ": " + what, &p, 1);
}

#endif
