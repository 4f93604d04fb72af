// The truth for grouped products of e4m3: each row of A times the matrix of its group, with the scales of the rows of both, summed in
// fp64, and beside each sum that of the terms' magnitudes, by which its rounding error is judged. The product of two codes is exact in
// fp64, and so is a sum of up to 2^17 of them; it rounds where it is multiplied with its two scales, by at most 2^-52.
//
// A block of 16x16 threads computes up to 64x64 of C, 4x4 a thread, strided by 16. Its rows are of one group: group g has the
// blocks from offsets[g] / 64 + g to offsets[g + 1] / 64 + g along y, as many as it needs, of which the last may have no rows.
#include <darwarp/fp8.cuh>

constexpr int SIDE = 16;            // threads along either side
constexpr int PER_THREAD = 4;       // outputs a thread along either side
constexpr int TILE = SIDE * PER_THREAD;
constexpr int STEP = 16;            // terms of the sum per pass through shared memory

// load_tile copies STEP terms of the rows from row0 to row0 + TILE as float, with zeros from `rows` and from k on.
__device__ void load_tile(const __nv_fp8_e4m3* matrix, int rows, int k, int row0, int k0, float (&tile)[STEP][TILE + 1]) {
    for (int i = threadIdx.y * SIDE + threadIdx.x; i < TILE * STEP; i += SIDE * SIDE) {
        const int row = row0 + i / STEP, col = k0 + i % STEP;
        tile[i % STEP][i / STEP] = row < rows && col < k ? darwarp::to_float(matrix[size_t(row) * k + col]) : 0.f;
    }
}

extern "C" __global__ void __launch_bounds__(SIDE * SIDE)
reference(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* A_scale, const float* B_scale, const int* offsets, double* C,
          float* C_scale, int groups, int tokens, int n, int k, int least) {
    __shared__ float a[STEP][TILE + 1], b[STEP][TILE + 1];  // + 1 spreads a column over the banks
    double sum[PER_THREAD][PER_THREAD] = {};
    float scale[PER_THREAD][PER_THREAD] = {};
    int group = 0;
    while (group + 1 < groups && offsets[group + 1] / TILE + group + 1 <= int(blockIdx.y)) ++group;
    const int end = offsets[group + 1], col0 = blockIdx.x * TILE;
    const int row0 = offsets[group] + (int(blockIdx.y) - offsets[group] / TILE - group) * TILE;
    if (row0 >= end) return;
    const __nv_fp8_e4m3* weights = B + size_t(group) * n * k;
    for (int k0 = 0; k0 < k; k0 += STEP) {
        load_tile(A, end, k, row0, k0, a);
        load_tile(weights, n, k, col0, k0, b);
        __syncthreads();
        for (int s = 0; s < STEP; ++s)
            for (int i = 0; i < PER_THREAD; ++i)
                for (int j = 0; j < PER_THREAD; ++j) {
                    const float x = a[s][threadIdx.y + i * SIDE], y = b[s][threadIdx.x + j * SIDE];
                    sum[i][j] = fma(double(x), double(y), sum[i][j]);
                    scale[i][j] += fabsf(x * y);
                }
        __syncthreads();
    }
    for (int i = 0; i < PER_THREAD; ++i)
        for (int j = 0; j < PER_THREAD; ++j) {
            const int row = row0 + threadIdx.y + i * SIDE, col = col0 + threadIdx.x + j * SIDE;
            if (row >= end || col >= n) continue;
            const double both = double(A_scale[row]) * B_scale[size_t(group) * n + col];
            C[size_t(row) * n + col] = sum[i][j] * both;
            C_scale[size_t(row) * n + col] = float(scale[i][j] * both);
        }
}
