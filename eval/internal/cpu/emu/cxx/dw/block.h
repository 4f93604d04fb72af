// What a thread knows of its place, and the barriers of a block.
#ifndef DW_BLOCK_H
#define DW_BLOCK_H

#include "fiber.h"

// The barrier's one entry. It returns the votes: how many threads said yes, in the low half, and how
// many voted, in the high half. Threads that have returned from the kernel do not take part ("must be
// reached by all non-exited threads in the block", CUDA C++ Programming Guide, "Synchronization Functions").
DW_RUNTIME uint64_t dw_barrier(int kind, int predicate);
DW_RUNTIME __attribute__((noreturn)) void dw_trap(const char* what);
DW_RUNTIME void dw_yield();
DW_RUNTIME void dw_fence();

#define threadIdx (::dw::self().thread)
#define blockIdx (::dw::self().block_index)
#define blockDim (::dw::self().block_dim)
#define gridDim (::dw::self().grid)
constexpr int warpSize = 32;

// The kinds: mixing them at one barrier is a divergence.
enum { DW_BARRIER, DW_BARRIER_COUNT, DW_BARRIER_AND, DW_BARRIER_OR };

inline void __syncthreads() { dw_barrier(DW_BARRIER, 0); }
inline int __syncthreads_count(int p) { return int(uint32_t(dw_barrier(DW_BARRIER_COUNT, p != 0))); }
inline int __syncthreads_or(int p) { return uint32_t(dw_barrier(DW_BARRIER_OR, p != 0)) != 0; }
inline int __syncthreads_and(int p) {
    const uint64_t v = dw_barrier(DW_BARRIER_AND, p != 0);
    return uint32_t(v) == uint32_t(v >> 32);
}

// A thread that sleeps or polls lets the others run, or a spin on a lock would never end.
inline void __nanosleep(unsigned) { dw_yield(); }
inline void __threadfence() { dw_fence(); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { dw_fence(); }

inline void __trap() { dw_trap("__trap()"); }
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : dw_trap("assert(" #condition ")"))
#endif
extern "C" int printf(const char*, ...);

// Clocks count host nanoseconds, or, where a block is watched, how often they are read.
DW_RUNTIME unsigned long long dw_nanoseconds();
inline long long clock64() { return (long long)dw_nanoseconds(); }

#endif
