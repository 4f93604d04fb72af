// Thread block clusters (sm_90): blocks that run at the same time, meet at a barrier, and can write to
// each other's shared memory and read it. PTX ISA, "barrier.cluster" and "mapa".
#pragma once

#include <darwarp/bulk_copy.cuh>

namespace darwarp {

// cluster_rank is the number of this block in its cluster.
__device__ __forceinline__ unsigned cluster_rank() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;\n" : "=r"(rank));
    return rank;
}

// cluster_arrive says that this thread has come to the barrier: what it wrote before, anywhere, is seen by
// every thread of the cluster that waits. cluster_wait must follow before the next arrive.
__device__ __forceinline__ void cluster_arrive() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
    asm volatile("barrier.cluster.wait.acquire.aligned;\n" ::: "memory");
}

// cluster_arrive_only is an arrival that shows nothing and waits for nothing: for mbarriers that were made visible by mbarrier_fence.
// At the end it would not do: what was sent to another block before it may still be on its way when that block ends.
__device__ __forceinline__ void cluster_arrive_only() { asm volatile("barrier.cluster.arrive.relaxed.aligned;\n" ::: "memory"); }

// cluster_store writes to the shared variable of block `rank` that p is in this block. That block must have
// started (a barrier says so) and must not end before a barrier after the write.
__device__ __forceinline__ void cluster_store(float* p, unsigned rank, float v) {
    const unsigned here = static_cast<unsigned>(__cvta_generic_to_shared(p));
    asm volatile(
        "{\n"
        "  .reg .b32 there;\n"
        "  mapa.shared::cluster.u32 there, %0, %1;\n"
        "  st.shared::cluster.f32 [there], %2;\n"
        "}\n" ::"r"(here), "r"(rank), "f"(v)
        : "memory");
}

// cluster_load reads the shared variable of block `rank` that p is in this block. What was written there must have been shown by a
// barrier, and that block must not end before a barrier after the read.
__device__ __forceinline__ float4 cluster_load(const float4* p, unsigned rank) {
    const unsigned here = static_cast<unsigned>(__cvta_generic_to_shared(p));
    float4 v;
    asm volatile(
        "{\n"
        "  .reg .b32 there;\n"
        "  mapa.shared::cluster.u32 there, %4, %5;\n"
        "  ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there];\n"
        "}\n"
        : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
        : "r"(here), "r"(rank)
        : "memory");
    return v;
}

// cluster_send sends four words to the shared variable of block `rank` that p is in this block, and their 16 bytes to the mbarrier of that
// block that `barrier` is in this one. They are there when the phase is over that they were announced for, for whoever waits for it; no
// fence and no other barrier is needed. That block must have made its barrier, and must not end before. PTX ISA, "st.async".
__device__ __forceinline__ void cluster_send(float4* p, unsigned rank, float4 v, Mbarrier* barrier) {
    asm volatile(
        "{\n"
        "  .reg .b32 there, counter;\n"
        "  mapa.shared::cluster.u32 there, %0, %2;\n"
        "  mapa.shared::cluster.u32 counter, %1, %2;\n"
        "  st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [there], {%3, %4, %5, %6}, [counter];\n"
        "}\n" ::"r"(shared_address(p)),
        "r"(shared_address(barrier)), "r"(rank), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
        : "memory");
}

}  // namespace darwarp
