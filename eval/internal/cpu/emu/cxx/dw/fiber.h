// A fiber is one CUDA thread: a stack of its own, switched to by the runtime.
#ifndef DW_FIBER_H
#define DW_FIBER_H

#include <stddef.h>
#include <stdint.h>

#include "keywords.h"
#include "vector_types.h"

namespace dw {

struct Block;

// Copy is one cp.async of 4, 8 or 16 bytes that has been issued and not been waited for. A null source means zeros.
struct Copy {
    void* to;
    const void* from;
    unsigned group, bytes;
    bool landed;  // before anybody has waited for it
    const void* site;
};

// Fiber is what is known of a thread but for its stack. Two lines of cache, the first of them what a kernel reads.
struct alignas(128) Fiber {
    uint3 thread, block_index, grid;
    dim3 block_dim;
    void* sp;                      // while it does not run
    Block* block;
    unsigned number, lane, warp;   // number in the block, lane = number % 32
    bool at_barrier, done;
    bool at_cluster, arrived;      // at the cluster's barrier: waiting; arrived and not yet waited
    const void* site;              // where it waits
    unsigned groups;               // cp.async groups committed
    uint8_t cluster_phase;         // of the cluster's barrier when it arrived
    bool at_wgmma;                 // waits for the rest of its warpgroup to ask for what it waits for
    unsigned first, count, room;   // of copies: the oldest that is not waited for, how many, and space
    Copy* copies;
    const void* mbarrier;          // where it waits for one
};
static_assert(sizeof(Fiber) == 128, "fibers are found by their number");

// All fibers of a block lie in one region, aligned to its size: first the Fibers, side by side, then the stacks.
// So a thread finds itself, and with it threadIdx, from the stack pointer: no thread-local lookup, nothing to
// update at a switch. The step from stack to stack is 17 pages and 13 lines: were it a power of two, the
// busy ends of all stacks would fall into the same few places of caches and TLB.
constexpr uintptr_t REGION = 128u << 20, HEADERS = 1u << 20;
constexpr uintptr_t STEP = 17 * 4096 + 13 * 64;  // a GPU thread's locals are registers and little else
static_assert(HEADERS + 1024 * STEP <= REGION && 1024 * sizeof(Fiber) <= HEADERS, "1024 threads fit");

inline __attribute__((always_inline)) Fiber& self() {
    uintptr_t sp;
#if defined(__x86_64__)
    __asm__("mov %%rsp, %0" : "=r"(sp));
#elif defined(__aarch64__)
    __asm__("mov %0, sp" : "=r"(sp));
#else
#error "the cpu device needs x86-64 or aarch64"
#endif
    const uint32_t at = uint32_t(sp & (REGION - 1)) - uint32_t(HEADERS);
    return reinterpret_cast<Fiber*>(sp & ~(REGION - 1))[at / uint32_t(STEP)];
}

}  // namespace dw

#endif
