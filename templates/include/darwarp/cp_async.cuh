// cp.async (sm_80): copies from global to shared memory that bypass registers, and those of 16 bytes L1 as well (.cg).
// Copies are grouped by commit; wait<N> returns when all but the newest N groups have landed, for the
// calling thread only: a __syncthreads() must follow before other threads read the data.
// L2::128B asks L2 to fetch the whole 128-byte line, whose other chunks the neighbouring threads want.
#pragma once

namespace darwarp {

__device__ __forceinline__ unsigned shared_address(const void* p) {
    return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// cp_async16_or_zero copies 16 bytes, or writes 16 zero bytes (reading nothing) where `valid` is false.
__device__ __forceinline__ void cp_async16_or_zero(void* shared, const void* global, bool valid) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;\n" ::"r"(shared_address(shared)),
                 "l"(global), "r"(valid ? 16 : 0)
                 : "memory");
}

// cp_async_or_zero does so with 4, 8 or 16 bytes.
template <int BYTES>
__device__ __forceinline__ void cp_async_or_zero(void* shared, const void* global, bool valid) {
    static_assert(BYTES == 4 || BYTES == 8 || BYTES == 16, "cp.async copies 4, 8 or 16 bytes");
    if constexpr (BYTES == 16) cp_async16_or_zero(shared, global, valid);
    else
        asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], %2, %3;\n" ::"r"(shared_address(shared)), "l"(global),
                     "n"(BYTES), "r"(valid ? BYTES : 0)
                     : "memory");
}

// cp_async16_if copies 16 bytes where `go` is true, else does nothing. A predicate instead of a
// branch leaves the instruction scheduler one straight line to work on.
__device__ __forceinline__ void cp_async16_if(bool go, void* shared, const void* global) {
    asm volatile(
        "{\n"
        "  .reg .pred go;\n"
        "  setp.ne.b32 go, %0, 0;\n"
        "  @go cp.async.cg.shared.global.L2::128B [%1], [%2], 16;\n"
        "}\n" ::"r"(int(go)),
        "r"(shared_address(shared)), "l"(global)
        : "memory");
}

__device__ __forceinline__ void cp_async_commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }

template <int PENDING>
__device__ __forceinline__ void cp_async_wait() {
    asm volatile("cp.async.wait_group %0;\n" ::"n"(PENDING) : "memory");
}

}  // namespace darwarp
