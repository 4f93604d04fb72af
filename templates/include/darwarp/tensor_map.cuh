// Copies of boxes by tensor maps (sm_90): the copy engine (TMA) walks a two-dimensional piece of a row-major tensor by
// itself. A map, which the launch plan declares and the host encodes, knows the tensor's sizes, the box that one copy moves,
// and the swizzle of its rows in shared memory. What lies outside the tensor is read as zero and not written. PTX ISA,
// "cp.async.bulk.tensor", "Tensor swizzling modes"; CUDA driver API, "cuTensorMapEncodeTiled".
//
// A box begins in shared memory at a multiple of 128 bytes; with a swizzle of 128 bytes its pattern repeats every 1024, and
// it begins at a multiple of these. Chunk c of 16 bytes of row r is then at swizzle<8>(r, c) (darwarp/swizzle.cuh).
#pragma once

#include <darwarp/bulk_copy.cuh>

namespace darwarp {

// TensorMap is what a kernel takes as const __grid_constant__ parameter.
struct alignas(64) TensorMap {
    unsigned long long opaque[16];
};

// tensor_map_prefetch asks for a map that copies will need soon.
__device__ __forceinline__ void tensor_map_prefetch(const TensorMap& map) {
    asm volatile("prefetch.tensormap [%0];\n" ::"l"(&map) : "memory");
}

// tensor_load asks for the box whose corner is at (row, column), in elements. Its bytes, all of the box, are there when the
// barrier's phase is over that they were announced for. HINT is CACHED or a policy of L2 (darwarp/global.cuh).
template <Cache HINT = CACHED>
__device__ __forceinline__ void tensor_load(void* shared, const TensorMap& map, int row, int column, Mbarrier* barrier) {
    if constexpr (HINT == CACHED)
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];\n" ::"r"(shared_address(shared)),
                     "l"(&map), "r"(shared_address(barrier)), "r"(column), "r"(row)
                     : "memory");
    else
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5;\n" ::"r"(
                         shared_address(shared)),
                     "l"(&map), "r"(shared_address(barrier)), "r"(column), "r"(row), "l"(l2_policy<HINT>())
                     : "memory");
}

// The same of a tensor of three dimensions, by the place of the box's first element in each: a box may be of one plane.
__device__ __forceinline__ void tensor_load(void* shared, const TensorMap& map, int outer, int row, int column, Mbarrier* barrier) {
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];\n" ::"r"(
                     shared_address(shared)),
                 "l"(&map), "r"(shared_address(barrier)), "r"(column), "r"(row), "r"(outer)
                 : "memory");
}

// The same of a tensor of four dimensions: one plane, and of that a box.
__device__ __forceinline__ void tensor_load(void* shared, const TensorMap& map, int outer, int inner, int row, int column, Mbarrier* barrier) {
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];\n" ::"r"(
                     shared_address(shared)),
                 "l"(&map), "r"(shared_address(barrier)), "r"(column), "r"(row), "r"(inner), "r"(outer)
                 : "memory");
}

// tensor_load_multicast brings the box to every block of the cluster whose bit is set in `blocks`: to the place there that
// `shared` is here, with its bytes counted by the barrier there that `barrier` is here.
template <Cache HINT = CACHED>
__device__ __forceinline__ void tensor_load_multicast(void* shared, const TensorMap& map, int row, int column, Mbarrier* barrier,
                                                      unsigned short blocks) {
    if constexpr (HINT == CACHED)
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;\n" ::"r"(
                shared_address(shared)),
            "l"(&map), "r"(shared_address(barrier)), "r"(column), "r"(row), "h"(blocks)
            : "memory");
    else
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [%0], [%1, {%3, %4}], [%2], %5, "
            "%6;\n" ::"r"(shared_address(shared)),
            "l"(&map), "r"(shared_address(barrier)), "r"(column), "r"(row), "h"(blocks), "l"(l2_policy<HINT>())
            : "memory");
}

// The same of a tensor of three dimensions: a box of one plane.
__device__ __forceinline__ void tensor_load_multicast(void* shared, const TensorMap& map, int plane, int row, int column, Mbarrier* barrier,
                                                      unsigned short blocks) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4, %5}], [%2], %6;\n" ::"r"(
            shared_address(shared)),
        "l"(&map), "r"(shared_address(barrier)), "r"(column), "r"(row), "r"(plane), "h"(blocks)
        : "memory");
}

// The same of a tensor of four dimensions: one plane, and of that a box.
__device__ __forceinline__ void tensor_load_multicast(void* shared, const TensorMap& map, int outer, int inner, int row, int column, Mbarrier* barrier,
                                                      unsigned short blocks) {
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, %4, %5, %6}], [%2], %7;\n" ::"r"(
            shared_address(shared)),
        "l"(&map), "r"(shared_address(barrier)), "r"(column), "r"(row), "r"(inner), "r"(outer), "h"(blocks)
        : "memory");
}

// tensor_store asks for a box to be written to global memory: one of this thread's bulk stores, for bulk_commit and
// bulk_wait_read. What other threads wrote to it must have been shown by async_fence.
__device__ __forceinline__ void tensor_store(const TensorMap& map, int row, int column, const void* shared) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];\n" ::"l"(&map), "r"(shared_address(shared)), "r"(column),
                 "r"(row)
                 : "memory");
}

// The same of a tensor of three dimensions: a box of one plane.
__device__ __forceinline__ void tensor_store(const TensorMap& map, int plane, int row, int column, const void* shared) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];\n" ::"l"(&map), "r"(shared_address(shared)),
                 "r"(column), "r"(row), "r"(plane)
                 : "memory");
}

// mbarrier_arrive_at is one arrival at the barrier of block `rank` that `barrier` is in this one, for a thread that has read what
// that block brought. It shows nobody what this thread wrote: a release at the scope of the cluster is a fence of all memory, which
// takes longer than a stage of a matrix product. That block must not have ended: one of its threads waits for the phase.
__device__ __forceinline__ void mbarrier_arrive_at(Mbarrier* barrier, unsigned rank) {
    asm volatile(
        "{\n"
        "  .reg .b32 there;\n"
        "  mapa.shared::cluster.u32 there, %0, %1;\n"
        "  mbarrier.arrive.shared::cluster.b64 _, [there];\n"
        "}\n" ::"r"(shared_address(barrier)),
        "r"(rank)
        : "memory");
}

}  // namespace darwarp
