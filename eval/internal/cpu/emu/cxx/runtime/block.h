// A block at work: its fibers, who may run, who waits. One object per OS thread, used for block after block.
#ifndef DW_RUNTIME_BLOCK_H
#define DW_RUNTIME_BLOCK_H

#include <string>

#include "dw/block.h"
#include "abi.h"
#include "bulk.h"
#include "warpgroup.h"
#include "rng.h"
#include "switch.h"

namespace dw {

// Place is one thread's part in a fault: where it was and what it did there.
struct Place {
    const void* pc;  // return address in the kernel, null if unknown
    uint3 block, thread;
    const char* access;
};

struct Fault {
    const char* kind = nullptr;
    std::string message;
    Place places[2];
    int count = 0;
};

// Lane is what a thread has brought to a warp-wide operation.
struct Lane {
    uint32_t mask;
    int op;
    uint64_t value, argument, result;
};

struct Warp {
    uint32_t waiting, gone;  // lanes at an operation; lanes that have returned or never were
    Lane lane[32];
};

// Launch is what all blocks of a launch share.
struct Launch {
    void* kernel;
    uint3 grid, block;
    uint32_t smem;
    uint64_t args[24];
    int nargs;
    const dw_buffer* buffers;
    int nbuffers;
    dw_options options;
    uint64_t blocks, stride, offset;  // block number i of the order is (i * stride + offset) % blocks
    uint64_t next;                    // taken atomically
    int failed;
};

struct Check;
struct Cluster;

struct Block {
    const Launch* launch;
    uintptr_t region;         // of the fibers and their stacks
    unsigned room;            // stacks that are ready
    unsigned threads, live;   // in the block; not yet returned
    Fiber* ready[1024];       // in no order: the next is drawn
    Fiber* waiting[1024];     // at the barrier
    Fiber* upcoming;          // drawn from ready ahead of time, so that its memory can be on its way
    unsigned nready, nwaiting;
    uint32_t yes;             // votes at the barrier
    int barrier_kind;
    uint64_t votes;           // result of the last barrier
    Warp warps[32];
    Rng rng;
    void* scheduler;          // stack of the OS thread
    Fault fault;
    Check* check;             // null unless accesses are checked
    unsigned atomics;         // since the last yield
    Cluster* cluster;         // of one block, unless the launch has clusters
    unsigned rank;            // in the cluster
    Bulk bulk;                // copies that are on their way, and what counts them
    std::deque<Warpgroup> warpgroups;  // as far as they have used wgmma

    Fiber& fiber(unsigned i) { return reinterpret_cast<Fiber*>(region)[i]; }
    void* stack_top(unsigned i) { return reinterpret_cast<void*>(region + HEADERS + (i + 1) * STEP); }
    bool make_room(unsigned threads);
    void prepare(uint3 index);
    void run();
    bool hand_over();
    void offer();
    void wake(Fiber& f) { ready[nready++] = &f; }
    void draw();
    Fiber* next();
    void park(Fiber& me);
    void release(Fiber* last);
    void release_if_complete(Fiber* last) {
        if (nwaiting > 0 && nwaiting >= live) release(last);
    }
    void leave(Fiber& me);
    void check_bulk(Fiber& me);
    void check_wgmma(Fiber& me);
    [[noreturn]] void fail(const char* kind, std::string message, const Place* places, int count);
    [[noreturn]] void stuck();
    [[noreturn]] void mixed(Fiber& me);
};

inline uint3 index_in(uint3 shape, uint64_t number) {
    return {unsigned(number % shape.x), unsigned(number / shape.x % shape.y), unsigned(number / shape.x / shape.y)};
}

inline Place place(const Fiber& f, const void* pc, const char* access) {
    return {pc, f.block_index, f.thread, access};
}
std::string name(const Fiber& f);

}  // namespace dw

#endif
