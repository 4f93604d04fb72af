// Bulk copies (sm_90): one thread asks for a whole run of bytes, which the copy engine moves between global and shared
// memory, with no registers and no other thread in it. Addresses and sizes are multiples of 16 bytes. PTX ISA,
// "cp.async.bulk", "mbarrier", "Async proxy".
//
// A load's bytes are counted by an mbarrier, 8 bytes of shared memory. Its phase ends when as many threads have arrived as
// it was made for and all bytes that they announced have come; phases are counted from 0, and a phase's parity is its number's
// lowest bit. A wait for a phase of a new barrier's "phase before" (parity 1) returns at once.
#pragma once

#include <darwarp/cp_async.cuh>
#include <darwarp/global.cuh>

namespace darwarp {

struct alignas(8) Mbarrier {
    unsigned long long bits;
};

// mbarrier_init makes a barrier for so many arrivals a phase. One thread does it, then calls mbarrier_fence, which shows the
// barrier to the copy engine; a __syncthreads() shows it to the others.
__device__ __forceinline__ void mbarrier_init(Mbarrier* barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(shared_address(barrier)), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void mbarrier_fence() { asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory"); }

// mbarrier_arrive is one arrival. What its thread did before is seen by whoever waits for the phase.
__device__ __forceinline__ void mbarrier_arrive(Mbarrier* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(shared_address(barrier)) : "memory");
}

// mbarrier_expect is one arrival that announces bytes of copies, which are asked for after it.
__device__ __forceinline__ void mbarrier_expect(Mbarrier* barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(shared_address(barrier)), "r"(bytes) : "memory");
}

// mbarrier_wait returns when the phase of this parity is over.
__device__ __forceinline__ void mbarrier_wait(Mbarrier* barrier, unsigned parity) {
    asm volatile(
        "{\n"
        "  .reg .pred over;\n"
        "AGAIN:\n"
        "  mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
        "  @!over bra AGAIN;\n"
        "}\n" ::"r"(shared_address(barrier)),
        "r"(parity)
        : "memory");
}

// bulk_load asks for bytes of global memory. They are there when the barrier's phase is over that they were announced for.
// STREAMING lines leave L2 before others, EVICT_LAST ones after them.
template <Cache HINT>
__device__ __forceinline__ void bulk_load(void* shared, const void* global, unsigned bytes, Mbarrier* barrier) {
    if constexpr (HINT == STREAMING || HINT == EVICT_LAST)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1], %2, [%3], %4;\n" ::"r"(shared_address(shared)),
                     "l"(global), "r"(bytes), "r"(shared_address(barrier)), "l"(l2_policy<HINT>())
                     : "memory");
    else
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::"r"(shared_address(shared)),
                     "l"(global), "r"(bytes), "r"(shared_address(barrier))
                     : "memory");
}

// bulk_load_multicast brings the bytes to every block of the cluster whose bit is set in `blocks`: to the place there that `shared` is
// here, with its bytes counted by the barrier there that `barrier` is here.
__device__ __forceinline__ void bulk_load_multicast(void* shared, const void* global, unsigned bytes, Mbarrier* barrier, unsigned short blocks) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;\n" ::"r"(
                     shared_address(shared)),
                 "l"(global), "r"(bytes), "r"(shared_address(barrier)), "h"(blocks)
                 : "memory");
}

// async_fence lets the copy engine see what this thread wrote to shared memory. The thread that asks for the copy must be told
// after it, by a barrier.
__device__ __forceinline__ void async_fence() { asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory"); }

// bulk_store asks for bytes of shared memory to be written to global memory. bulk_commit makes a group of this thread's stores
// so far; bulk_wait_read returns when all but its newest PENDING groups have left shared memory, which may then be written,
// or end with the block.
template <Cache HINT>
__device__ __forceinline__ void bulk_store(void* global, const void* shared, unsigned bytes) {
    if constexpr (HINT == STREAMING)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;\n" ::"l"(global), "r"(shared_address(shared)),
                     "r"(bytes), "l"(l2_policy<HINT>())
                     : "memory");
    else
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n" ::"l"(global), "r"(shared_address(shared)), "r"(bytes)
                     : "memory");
}

// bulk_add asks for floats of shared memory to be added to those in global memory, each as an atomic would: one more of this
// thread's stores. PTX ISA, "cp.reduce.async.bulk".
__device__ __forceinline__ void bulk_add(float* global, const float* shared, unsigned bytes) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;\n" ::"l"(global), "r"(shared_address(shared)), "r"(bytes)
                 : "memory");
}
__device__ __forceinline__ void bulk_commit() { asm volatile("cp.async.bulk.commit_group;\n" ::: "memory"); }
template <int PENDING>
__device__ __forceinline__ void bulk_wait_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;\n" ::"n"(PENDING) : "memory");
}

// bulk_wait returns when all but the newest PENDING groups have come to global memory, too.
template <int PENDING>
__device__ __forceinline__ void bulk_wait() {
    asm volatile("cp.async.bulk.wait_group %0;\n" ::"n"(PENDING) : "memory");
}

}  // namespace darwarp
