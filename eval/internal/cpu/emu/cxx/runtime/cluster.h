// Thread block clusters. Each block of a cluster has an OS thread of its own, and with it shared memory of its
// own, but only one of them runs at a time: a baton goes from block to block, to one drawn from those that can
// run, whenever the block that has it cannot go on. So a launch depends on its seed alone, as without clusters.
#ifndef DW_CLUSTER_H
#define DW_CLUSTER_H

#include <pthread.h>

#include "darwarp/cluster.cuh"
#include "check.h"

namespace dw {

struct Cluster {
    unsigned size = 1;
    uint3 shape{1, 1, 1};
    Block* blocks[MAX_CLUSTER] = {};
    const unsigned char* shared[MAX_CLUSTER] = {};  // each block's dw_dynamic_shared
    unsigned live = 0, arrived = 0;                 // threads that have not returned; those at the barrier
    unsigned phase = 0;                             // barriers completed
    unsigned silent = 0;                            // of those at the barrier, who show nothing
    bool failed = false;
    int turn = -1;                                  // who has the baton; -1: nobody
    Rng rng{0};
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
    pthread_barrier_t together;

    // start_clocks lets the clocks of all blocks begin together.
    void start_clocks() {
        Clocks* clocks[MAX_CLUSTER];
        uint32_t begin = 0;
        for (unsigned i = 0; i < size; ++i) {
            if (!blocks[i]->check) return;
            clocks[i] = &blocks[i]->check->clocks;
            if (clocks[i]->now_epoch() > begin) begin = clocks[i]->now_epoch();
        }
        for (unsigned i = 0; i < size; ++i) clocks[i]->start_cluster(clocks, size, i, begin, blocks[i]->threads);
    }

    // start is called by the last of the blocks that are ready to begin.
    void start(uint64_t seed) {
        start_clocks();
        if (blocks[0]->check && blocks[0]->check->grid) blocks[0]->check->grid->start(blocks[0]->fiber(0).block_index, size * blocks[0]->threads);
        live = arrived = phase = silent = 0;
        for (unsigned i = 0; i < size; ++i) live += blocks[i]->threads;
        rng = Rng(seed);
        turn = int(rng.below(size));
    }

    // runnable draws a block that has a thread to run, or none (-1).
    int runnable() {
        int found = -1;
        for (unsigned i = 0, n = 0; i < size; ++i)
            if ((blocks[i]->nready > 0 || blocks[i]->upcoming) && rng.below(++n) == 0) found = int(i);
        return found;
    }

    // next_after is who goes on when a block has ended. If nobody can, it is someone who then finds out that he waits in vain.
    int next_after(unsigned rank) {
        const int to = runnable();
        for (unsigned i = 0; to < 0 && i < size; ++i)
            if (i != rank && blocks[i]->live > 0) return int(i);
        return to;
    }

    // pass gives the baton to `to` and wakes everybody who waits for it.
    void pass(int to) {
        pthread_mutex_lock(&lock);
        turn = to;
        pthread_cond_broadcast(&moved);
        pthread_mutex_unlock(&lock);
    }

    // await returns when block `rank` has the baton; false: the launch has failed.
    bool await(unsigned rank) {
        pthread_mutex_lock(&lock);
        while (turn != int(rank) && !failed) pthread_cond_wait(&moved, &lock);
        pthread_mutex_unlock(&lock);
        return !failed;
    }

    void fail() {
        pthread_mutex_lock(&lock);
        failed = true;
        pthread_cond_broadcast(&moved);
        pthread_mutex_unlock(&lock);
    }

    // order says what the barrier that is now complete orders: all that was done before; where some have shown nothing, only that
    // mbarriers are there that mbarrier_fence has made known.
    void order() {
        for (unsigned i = 0; i < size; ++i) {
            Check* check = blocks[i]->check;
            if (check && silent == 0) check->cluster_barrier();
            for (Mbarrier& m : blocks[i]->bulk.barriers) {
                m.shown = m.shown || m.fenced;
                if (silent == 0) m.far = nullptr;
            }
        }
        for (unsigned i = 0; i < size; ++i)
            if (blocks[i]->check && silent == 0) blocks[i]->check->clocks.see();
        silent = 0;
    }

    // complete lets all who wait go on once every thread that is left has arrived.
    void complete_if_all() {
        if (arrived == 0 || arrived < live) return;
        arrived = 0;
        ++phase;
        order();
        for (unsigned i = 0; i < size; ++i) {
            Block& b = *blocks[i];
            for (unsigned t = 0; t < b.threads; ++t) {
                Fiber& f = b.fiber(t);
                if (!f.at_cluster) continue;
                f.at_cluster = false;
                b.wake(f);
            }
        }
    }
};

// abandon leaves all fibers of a block for good, as another block has failed.
inline void abandon(Block& b) {
    void* left;
    dw_switch(&left, b.scheduler);
    abort();
}

// hand_over lets another block run until this one has something to do again. False: nobody has.
__attribute__((noinline)) bool Block::hand_over() {
    while (nready == 0 && !upcoming) {
        const int to = cluster->runnable();
        if (to < 0) return false;
        cluster->pass(to);
        if (!cluster->await(rank)) abandon(*this);
    }
    return true;
}

// offer gives the other blocks a turn, for threads that poll.
inline void Block::offer() {
    const int to = cluster->runnable();
    if (to < 0 || to == int(rank)) return;
    cluster->pass(to);
    if (!cluster->await(rank)) abandon(*this);
}

inline const Fiber& whose(const Block& b, Stamp s) {
    return b.cluster->blocks[s.rank()]->fiber(s.agent() < MAX_THREADS ? s.agent() : (s.agent() - MAX_THREADS) * 128);
}

// in_block is where a shared variable of block b lies in block `rank` of its cluster.
inline void* in_block(const Block& b, void* p, unsigned rank) {
    return const_cast<unsigned char*>(b.cluster->shared[rank]) + (static_cast<unsigned char*>(p) - b.cluster->shared[b.rank]);
}

// remote looks at an access to the shared memory of another block of the cluster.
inline bool Check::remote(Fiber& f, uintptr_t a, unsigned size, Access kind, const void* site) {
    for (unsigned i = 0; i < f.block->cluster->size; ++i) {
        Check& there = *f.block->cluster->blocks[i]->check;
        if (&there == this || !there.thread_local_storage.holds(a)) continue;
        const bool is_dynamic = there.dynamic.holds(a);
        const uintptr_t offset = a - (is_dynamic ? there.dynamic.base : there.thread_local_storage.base);
        if (is_dynamic && offset + size > f.block->launch->smem) {
            const Place p = place(f, site, verb(kind));
            f.block->fail("out_of_bounds", name(f) + " " + verb(kind) + " " + std::to_string(size) + " bytes past the end of another block's dynamic shared memory", &p, 1);
        }
        if (!races || kind == READ) return true;
        Shadow& shadow = is_dynamic ? there.dynamic_shadow : there.static_shadow;
        for (unsigned j = 0; j < size; ++j) there.clocks.look(shadow.at(offset + j), clocks.now(f), kind, site);
        return true;
    }
    return false;
}

}  // namespace dw

unsigned dw_cluster_rank() { return dw::self().block->rank; }

void dw_cluster_arrive(bool shows) {
    dw::Fiber& me = dw::self();
    dw::Block& b = *me.block;
    if (me.arrived) {
        const dw::Place p = dw::place(me, __builtin_return_address(0), "arrives");
        b.fail("trap", dw::name(me) + " arrives at the cluster's barrier twice with no wait between", &p, 1);
    }
    dw::meet(me);
    me.arrived = true;
    me.cluster_phase = uint8_t(b.cluster->phase);
    ++b.cluster->arrived;
    b.cluster->silent += !shows;
    b.cluster->complete_if_all();
}

void dw_cluster_wait() {
    dw::Fiber& me = dw::self();
    dw::Block& b = *me.block;
    me.site = __builtin_return_address(0);
    if (!me.arrived) {
        const dw::Place p = dw::place(me, me.site, "waits");
        b.fail("trap", dw::name(me) + " waits at the cluster's barrier and has not arrived there", &p, 1);
    }
    me.arrived = false;
    if (me.cluster_phase != uint8_t(b.cluster->phase)) return;
    me.at_cluster = true;
    b.park(me);
}

void* dw_cluster_map(void* p, unsigned rank) {
    dw::Fiber& me = dw::self();
    dw::Block& b = *me.block;
    if (rank >= b.cluster->size) {
        const dw::Place at = dw::place(me, __builtin_return_address(0), "maps");
        b.fail("out_of_bounds", dw::name(me) + " asks for the shared memory of block " + std::to_string(rank) + " of its cluster, which has no such block", &at, 1);
    }
    // A block's shared memory goes when the block ends (CUDA C++ Programming Guide, "Distributed Shared Memory").
    if (b.cluster->blocks[rank]->live == 0) {
        const dw::Place at = dw::place(me, __builtin_return_address(0), "maps");
        b.fail("race", dw::name(me) + " asks for the shared memory of block " + std::to_string(rank) + " of its cluster, which has ended", &at, 1);
    }
    return dw::in_block(b, p, rank);
}

#endif
