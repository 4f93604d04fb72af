// The truth for scale * A * B^T before it is rounded to e4m3: sums in fp64, and beside each the sum of |a*b|, by which its rounding
// error is judged. The product of two 16-bit numbers is exact in fp64, so only the sum rounds.
// A block of 16x16 threads computes 64x64 of C, 4x4 a thread, strided by 16.

constexpr int SIDE = 16;            // threads along either side
constexpr int PER_THREAD = 4;       // outputs a thread along either side
constexpr int TILE = SIDE * PER_THREAD;
constexpr int STEP = 16;            // terms of the sum per pass through shared memory

// load_tile copies TILE rows of STEP terms as float, with zeros outside the matrix.
__device__ void load_tile(const T* matrix, int rows, int k, int row0, int k0, float (&tile)[STEP][TILE + 1]) {
    for (int i = threadIdx.y * SIDE + threadIdx.x; i < TILE * STEP; i += SIDE * SIDE) {
        const int row = row0 + i / STEP, col = k0 + i % STEP;
        tile[i % STEP][i / STEP] = row < rows && col < k ? darwarp::to_float(matrix[size_t(row) * k + col]) : 0.f;
    }
}

extern "C" __global__ void __launch_bounds__(SIDE * SIDE)
reference(const T* A, const T* B, const float* scale, double* C, float* C_scale, int m, int n, int k) {
    __shared__ float a[STEP][TILE + 1], b[STEP][TILE + 1];  // + 1 spreads a column over the banks
    double sum[PER_THREAD][PER_THREAD] = {};
    float magnitude[PER_THREAD][PER_THREAD] = {};
    const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
    for (int k0 = 0; k0 < k; k0 += STEP) {
        load_tile(A, m, k, row0, k0, a);
        load_tile(B, n, k, col0, k0, b);
        __syncthreads();
        for (int s = 0; s < STEP; ++s)
            for (int i = 0; i < PER_THREAD; ++i)
                for (int j = 0; j < PER_THREAD; ++j) {
                    const float x = a[s][threadIdx.y + i * SIDE], y = b[s][threadIdx.x + j * SIDE];
                    sum[i][j] = fma(double(x), double(y), sum[i][j]);
                    magnitude[i][j] += fabsf(x * y);
                }
        __syncthreads();
    }
    for (int i = 0; i < PER_THREAD; ++i)
        for (int j = 0; j < PER_THREAD; ++j) {
            const int row = row0 + threadIdx.y + i * SIDE, col = col0 + threadIdx.x + j * SIDE;
            if (row >= m || col >= n) continue;
            const size_t at = size_t(row) * n + col;
            const darwarp::Scaled out = epilogue(darwarp::Scaled(sum[i][j], magnitude[i][j]), darwarp::Scaled(double(*scale)));
            C[at] = out.value;
            C_scale[at] = float(out.scale);
        }
}
