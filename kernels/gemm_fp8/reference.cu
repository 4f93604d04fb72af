// The truth for C = (A * A_scale) * (B * B_scale)^T: sums in fp64, and beside each the sum of the terms' magnitudes, by which
// its rounding error is judged. A number times its scale has 4 and 24 bits, which is exact in fp64; the product of two of
// these rounds by at most 2^-53. A block of 16x16 threads computes 64x64 of C, 4x4 a thread, strided by 16.
#include <darwarp/fp8.cuh>

constexpr int SIDE = 16;            // threads along either side
constexpr int PER_THREAD = 4;       // outputs a thread along either side
constexpr int TILE = SIDE * PER_THREAD;
constexpr int STEP = 16;            // terms of the sum per pass through shared memory

// Scales of a matrix: one for so many rows and terms, 0 meaning all.
struct Scales {
    const float* values;
    int rows, terms, columns;
    __device__ double of(int row, int term) const {
        return values[size_t(rows ? row / rows : 0) * columns + (terms ? term / terms : 0)];
    }
};

// load_tile copies TILE rows of STEP terms, each times its scale, with zeros outside the matrix.
__device__ void load_tile(const __nv_fp8_e4m3* matrix, Scales scales, int rows, int k, int row0, int k0, double (&tile)[STEP][TILE + 1]) {
    for (int i = threadIdx.y * SIDE + threadIdx.x; i < TILE * STEP; i += SIDE * SIDE) {
        const int row = row0 + i / STEP, term = k0 + i % STEP;
        tile[i % STEP][i / STEP] = row < rows && term < k ? darwarp::to_float(matrix[size_t(row) * k + term]) * scales.of(row, term) : 0.0;
    }
}

extern "C" __global__ void __launch_bounds__(SIDE * SIDE)
reference(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* A_scale, const float* B_scale, double* C, float* C_scale,
          int m, int n, int k, int scale_m, int scale_n, int scale_k) {
    __shared__ double a[STEP][TILE + 1], b[STEP][TILE + 1];  // + 1 spreads a column over the banks
    const int columns = scale_k ? (k + scale_k - 1) / scale_k : 1;
    const Scales of_a = {A_scale, scale_m, scale_k, columns}, of_b = {B_scale, scale_n, scale_k, columns};
    double sum[PER_THREAD][PER_THREAD] = {}, magnitude[PER_THREAD][PER_THREAD] = {};
    const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    for (int k0 = 0; k0 < k; k0 += STEP) {
        load_tile(A, of_a, m, k, row0, k0, a);
        load_tile(B, of_b, n, k, col0, k0, b);
        __syncthreads();
        for (int s = 0; s < STEP; ++s)
            for (int i = 0; i < PER_THREAD; ++i)
                for (int j = 0; j < PER_THREAD; ++j) {
                    const double x = a[s][threadIdx.y + i * SIDE], y = b[s][threadIdx.x + j * SIDE];
                    sum[i][j] = fma(x, y, sum[i][j]);
                    magnitude[i][j] = fma(fabs(x), fabs(y), magnitude[i][j]);
                }
        __syncthreads();
    }
    for (int i = 0; i < PER_THREAD; ++i)
        for (int j = 0; j < PER_THREAD; ++j) {
            const int row = row0 + threadIdx.y + i * SIDE, col = col0 + threadIdx.x + j * SIDE;
            if (row >= m || col >= n) continue;
            C[size_t(row) * n + col] = sum[i][j];
            C_scale[size_t(row) * n + col] = float(magnitude[i][j]);
        }
}
