// Products on tensor cores by warpgroups, right and wrong. Lines at fault are marked with the name of their kernel.
#include <darwarp/darwarp.cuh>
#include <darwarp/tensor_map.cuh>
#include <darwarp/wgmma.cuh>

using namespace darwarp;

extern __shared__ __align__(1024) unsigned char memory[];

// write hands out the sums of a warpgroup as rows of N.
template <int N>
__device__ void write(float* c, const float (&sums)[N / 2]) {
    const int t = threadIdx.x % 128, row = t / 32 * 16 + t % 32 / 4, column = t % 4 * 2;
    for (int j = 0; j < N / 8; ++j)
        for (int i = 0; i < 4; ++i) c[(row + i / 2 * 8) * N + 8 * j + column + i % 2] = sums[4 * j + i];
}

// C = A * B^T (64 x N) through a ring of two places, 64 of k a step: warp 4 asks, the four warps before it multiply. A step's
// place is given back when the next one's multiplications have been asked for.
template <class T, int N>
__device__ void product(const TensorMap& a, const TensorMap& b, float* c, int steps) {
    constexpr int A = 64 * 128, PLACE = A + N * 128;
    __shared__ Mbarrier full[2], empty[2];
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; ++s) mbarrier_init(&full[s], 1), mbarrier_init(&empty[s], 1);
        mbarrier_fence();
    }
    __syncthreads();
    if (threadIdx.x >= 128) {
        for (int i = 0; i < steps && threadIdx.x == 128; ++i) {
            mbarrier_wait(&empty[i % 2], i / 2 % 2 ^ 1);
            mbarrier_expect(&full[i % 2], PLACE);
            tensor_load(memory + i % 2 * PLACE, a, 0, i * 64, &full[i % 2]);
            for (int n = 0; n < N; n += 64) tensor_load(memory + i % 2 * PLACE + A + n * 128, b, n, i * 64, &full[i % 2]);
        }
        return;
    }
    float sums[N / 2];
    for (float& s : sums) s = 1;
    for (int i = 0; i < steps; ++i) {
        mbarrier_wait(&full[i % 2], i / 2 % 2);
        const unsigned long long at = wgmma_descriptor(memory + i % 2 * PLACE), bt = wgmma_descriptor(memory + i % 2 * PLACE + A);
        wgmma_fence();
        for (int k = 0; k < 4; ++k) wgmma_m64k16<T, N>(sums, at + 2 * k, bt + 2 * k, true);
        wgmma_commit();
        wgmma_wait<1>();
        if (i > 0 && threadIdx.x == 0) mbarrier_arrive(&empty[(i - 1) % 2]);
    }
    wgmma_wait<0>();
    write<N>(c, sums);
}

#define PRODUCT(NAME, T, N)                                                                                                                  \
    extern "C" __global__ void NAME(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int steps) { \
        product<T, N>(a, b, c, steps);                                                                                                        \
    }
PRODUCT(product_half_64, __half, 64)
PRODUCT(product_half_256, __half, 256)
PRODUCT(product_bf16_64, __nv_bfloat16, 64)
PRODUCT(product_bf16_256, __nv_bfloat16, 256)

// The same of floats, 64 x 64, 32 of k a step: a row of 128 bytes has so many, and a multiplication takes eight.
extern "C" __global__ void product_tf32(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c, int steps) {
    __shared__ Mbarrier full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_fence();
    }
    __syncthreads();
    HeldSums<1, 64> held;
    for (int i = 0; i < steps; ++i) {
        if (threadIdx.x == 0) {
            mbarrier_expect(&full, 2 * 64 * 128);
            tensor_load(memory, a, 0, i * 32, &full);
            tensor_load(memory + 64 * 128, b, 0, i * 32, &full);
        }
        mbarrier_wait(&full, i % 2);
        const unsigned long long at = wgmma_descriptor(memory), bt = wgmma_descriptor(memory + 64 * 128);
        wgmma_fence();
        for (int k = 0; k < 4; ++k) held.multiply_tf32<0>(at + 2 * k, bt + 2 * k, i + k > 0);
        wgmma_commit();
        wgmma_wait<0>();
        __syncthreads();
    }
    float sums[32];
    held.take<0>(sums);
    write<64>(c, sums);
}

// Two warpgroups share B and have 64 rows of A each: rows 0 to 63 and 64 to 127 of the tile of A. Two tiles of sums in turn, without
// what was there, the second in registers without names.
extern "C" __global__ void two_warpgroups(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float* c) {
    __shared__ Mbarrier full;
    const int group = threadIdx.x / 128;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_fence();
        mbarrier_expect(&full, 128 * 128 + 8 * 128);
        tensor_load(memory, a, 0, 0, &full);
        tensor_load(memory + 64 * 128, a, 64, 0, &full);
        tensor_load(memory + 128 * 128, b, 0, 0, &full);
    }
    __syncthreads();
    mbarrier_wait(&full, 0);
    const unsigned long long at = wgmma_descriptor(memory) + group * (8192 / 16), bt = wgmma_descriptor(memory + 128 * 128);
    float first[4], second[4];
    HeldSums<1, 8> held;
    wgmma_fence();
    for (int k = 0; k < 4; ++k) wgmma_m64k16<__half, 8>(first, at + 2 * k, bt + 2 * k, k > 0);
    wgmma_commit();
    for (int k = 0; k < 2; ++k) held.multiply<__half, 0>(at + 2 * k, bt + 2 * k, k > 0);
    wgmma_commit();
    wgmma_wait<1>();
    write<8>(c + group * 512, first);
    wgmma_wait<0>();
    held.take<0>(second);
    write<8>(c + 1024 + group * 512, second);
}

// Operands that threads have written: ones, and the number of the column.
extern "C" __global__ void written(float* c) {
    for (int i = threadIdx.x; i < 64 * 64; i += 128) {
        const int at = i / 64 * 64 + ((i % 64 / 8 ^ i / 64 % 8) * 8 + i % 8);
        reinterpret_cast<__half*>(memory)[at] = __float2half(1.f);                // <- written
        reinterpret_cast<__half*>(memory)[4096 + at] = __float2half(float(i / 64)); // <- written
    }
    async_fence();
    __syncthreads();
    float sums[32];
    const unsigned long long at = wgmma_descriptor(memory), bt = wgmma_descriptor(memory + 8192);
    wgmma_fence();
    for (int k = 0; k < 4; ++k) wgmma_m64k16<__half, 64>(sums, at + 2 * k, bt + 2 * k, k > 0);  // <- written
    wgmma_commit();
    wgmma_wait<0>();
    write<64>(c, sums);
}

// Four matrices of 8 x 8 from registers: register i of a lane has elements 2 * (lane % 4) and the next of row lane / 4 of matrix i.
extern "C" __global__ void matrices(unsigned* y) {
    const unsigned lane = threadIdx.x;
    stmatrix_x4(memory + lane * 16, lane, 100 + lane, 200 + lane, 300 + lane);
    __syncwarp();
    for (int i = 0; i < 4; ++i) y[i * 32 + lane] = reinterpret_cast<unsigned*>(memory)[i * 32 + lane];
}

// The same, each matrix transposed: an element is its matrix, row and column.
extern "C" __global__ void transposed_matrices(unsigned short* y) {
    const unsigned lane = threadIdx.x, left = lane / 4 * 10 + lane % 4 * 2, pair = left | (left + 1) << 16;
    stmatrix_x4_trans(memory + lane * 16, pair, pair + 0x00640064, pair + 0x00c800c8, pair + 0x012c012c);
    __syncwarp();
    for (int i = 0; i < 8; ++i) y[i * 32 + lane] = reinterpret_cast<unsigned short*>(memory)[i * 32 + lane];
}

// Weights times rows: A (64 x 32) in registers, B has a row of 128 columns for each k, in two slabs. Sums begin at 1.
template <class T>
__device__ void of_rows(const TensorMap& b, const T* a, float* c) {
    __shared__ Mbarrier full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_fence();
        mbarrier_expect(&full, 2 * 32 * 128);
        tensor_load(memory, b, 0, 0, 0, 0, &full);
        tensor_load(memory + 32 * 128, b, 0, 0, 0, 64, &full);
    }
    __syncthreads();
    mbarrier_wait(&full, 0);
    const unsigned long long bt = wgmma_descriptor_of_rows(memory, 32 * 128);
    const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    float sums[64];
    for (float& s : sums) s = 1;
    registers_take<168>();
    wgmma_fence();
    for (int k = 0; k < 2; ++k) {
        unsigned left[4];
        for (int i = 0; i < 4; ++i) left[i] = *reinterpret_cast<const unsigned*>(a + (row + i % 2 * 8) * 32 + 16 * k + column + i / 2 * 8);
        wgmma_m64k16_of_rows<T, 128>(sums, left, bt + 128 * k);
    }
    wgmma_commit();
    wgmma_wait<0>();
    compute_before(sums);
    registers_give<40>();
    write<128>(c, sums);
}
extern "C" __global__ void of_rows_half(const __grid_constant__ TensorMap b, const __half* a, float* c) { of_rows<__half>(b, a, c); }
extern "C" __global__ void of_rows_bf16(const __grid_constant__ TensorMap b, const __nv_bfloat16* a, float* c) { of_rows<__nv_bfloat16>(b, a, c); }

// C (64 x 64) of operands with a row of 64 for each k, of which there are 32. Of A and of B in turn, the other has its rows along k.
template <bool ROWS_OF_A>
__device__ void orders(const TensorMap& rows, const TensorMap& along, float* c) {
    __shared__ Mbarrier full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_fence();
        mbarrier_expect(&full, 32 * 128 + 64 * 128);
        tensor_load(memory, rows, 0, 0, &full);
        tensor_load(memory + 8192, along, 0, 0, &full);
    }
    __syncthreads();
    mbarrier_wait(&full, 0);
    const unsigned long long of_rows = wgmma_descriptor_of_rows(memory, 32 * 128), other = wgmma_descriptor(memory + 8192);
    float sums[32];
    wgmma_fence();
    for (int k = 0; k < 2; ++k) {
        if (ROWS_OF_A) wgmma_m64k16_orders<__half, 64, true, false>(sums, of_rows + 128 * k, other + 2 * k, k > 0);
        else wgmma_m64k16_orders<__half, 64, false, true>(sums, other + 2 * k, of_rows + 128 * k, k > 0);
    }
    wgmma_commit();
    wgmma_wait<0>();
    write<64>(c, sums);
}
extern "C" __global__ void orders_rows_of_a(const __grid_constant__ TensorMap rows, const __grid_constant__ TensorMap along, float* c) {
    orders<true>(rows, along, c);
}
extern "C" __global__ void orders_rows_of_b(const __grid_constant__ TensorMap rows, const __grid_constant__ TensorMap along, float* c) {
    orders<false>(rows, along, c);
}

// Codes of eight bits, 64 x 128 of A and of B, that threads have written.
template <class F>
__device__ void codes(const unsigned char* a, const unsigned char* b, float* c) {
    for (int i = threadIdx.x; i < 64 * 128; i += 128) {
        const int at = i / 128 * 128 + ((i % 128 / 16 ^ i / 128 % 8) * 16 + i % 16);
        memory[at] = a[i], memory[8192 + at] = b[i];
    }
    async_fence();
    __syncthreads();
    float sums[32];
    const unsigned long long at = wgmma_descriptor(memory), bt = wgmma_descriptor(memory + 8192);
    wgmma_fence();
    for (int k = 0; k < 4; ++k) wgmma_m64k32<F, 64>(sums, at + 2 * k, bt + 2 * k, k > 0);
    wgmma_commit();
    wgmma_wait<0>();
    write<64>(c, sums);
}
extern "C" __global__ void codes_e4m3(const unsigned char* a, const unsigned char* b, float* c) { codes<__nv_fp8_e4m3>(a, b, c); }
extern "C" __global__ void codes_e5m2(const unsigned char* a, const unsigned char* b, float* c) { codes<__nv_fp8_e5m2>(a, b, c); }
