// ldmatrix (sm_75): a warp loads 8x8 matrices of 16-bit elements from shared memory in the layout
// that mma wants. Lane l of each group of eight supplies the address of one 16-byte row; afterwards
// lane l holds elements 2*(l%4) and 2*(l%4)+1 of row l/4 of each matrix. stmatrix (sm_90) is the way back.
#pragma once

#include <darwarp/cp_async.cuh>

namespace darwarp {

// ldmatrix_x4 loads four matrices: lanes 0-7 point at the rows of matrix 0 (-> r0), 8-15 of matrix 1, ...
__device__ __forceinline__ void ldmatrix_x4(unsigned& r0, unsigned& r1, unsigned& r2, unsigned& r3,
                                            const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                 : "r"(shared_address(row))
                 : "memory");
}

// ldmatrix_x4_trans transposes each matrix on the way: lane l holds elements 2*(l%4) and 2*(l%4)+1 of column l/4.
__device__ __forceinline__ void ldmatrix_x4_trans(unsigned& r0, unsigned& r1, unsigned& r2, unsigned& r3,
                                                  const void* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                 : "r"(shared_address(row))
                 : "memory");
}

// stmatrix_x4 stores four matrices: lanes 0-7 point at the rows of matrix 0 (<- r0), 8-15 of matrix 1, ...
__device__ __forceinline__ void stmatrix_x4(void* row, unsigned r0, unsigned r1, unsigned r2, unsigned r3) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};\n" ::"r"(shared_address(row)), "r"(r0), "r"(r1), "r"(r2), "r"(r3)
                 : "memory");
}

// stmatrix_x4_trans transposes each matrix on the way: lane l has elements 2*(l%4) and 2*(l%4)+1 of its column l/4.
__device__ __forceinline__ void stmatrix_x4_trans(void* row, unsigned r0, unsigned r1, unsigned r2, unsigned r3) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};\n" ::"r"(shared_address(row)), "r"(r0), "r"(r1), "r"(r2), "r"(r3)
                 : "memory");
}

}  // namespace darwarp
