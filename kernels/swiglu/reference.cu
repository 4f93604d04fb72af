// The truth for a gated layer: sums in fp64, and beside each the sum of |a*b|, by which its rounding error is judged. The
// product of two 16-bit numbers is exact in fp64, so only the sums round.
// A block of 16x16 threads computes 64x32 of C, 4x2 a thread, strided by 16: of each the sum with a row of the first n of B, and
// the sum with the row n further down.

constexpr int SIDE = 16;            // threads along either side
constexpr int ROWS = 4, COLS = 2;   // outputs a thread along either side
constexpr int STEP = 16;            // terms of the sums per pass through shared memory

// load_tile copies LINES rows of STEP terms as float, with zeros outside the matrix.
template <int LINES>
__device__ void load_tile(const T* matrix, int rows, int k, int row0, int k0, float (&tile)[STEP][LINES + 1]) {
    for (int i = threadIdx.y * SIDE + threadIdx.x; i < LINES * STEP; i += SIDE * SIDE) {
        const int row = row0 + i / STEP, col = k0 + i % STEP;
        tile[i % STEP][i / STEP] = row < rows && col < k ? darwarp::to_float(matrix[size_t(row) * k + col]) : 0.f;
    }
}

// Sum is a sum with its scale.
struct Sum {
    double value = 0;
    float scale = 0;
    __device__ void add(float x, float y) {
        value = fma(double(x), double(y), value);
        scale += fabsf(x * y);
    }
};

extern "C" __global__ void __launch_bounds__(SIDE * SIDE)
reference(const T* A, const T* B, double* C, float* C_scale, int m, int n, int k) {
    __shared__ float a[STEP][SIDE * ROWS + 1], b[2][STEP][SIDE * COLS + 1];  // + 1 spreads a column over the banks
    Sum sums[2][ROWS][COLS];
    const int row0 = blockIdx.y * SIDE * ROWS, col0 = blockIdx.x * SIDE * COLS;
    for (int k0 = 0; k0 < k; k0 += STEP) {
        load_tile<SIDE * ROWS>(A, m, k, row0, k0, a);
        for (int half = 0; half < 2; ++half) load_tile<SIDE * COLS>(B + size_t(half) * n * k, n, k, col0, k0, b[half]);
        __syncthreads();
        for (int s = 0; s < STEP; ++s)
            for (int half = 0; half < 2; ++half)
                for (int i = 0; i < ROWS; ++i)
                    for (int j = 0; j < COLS; ++j) sums[half][i][j].add(a[s][threadIdx.y + i * SIDE], b[half][s][threadIdx.x + j * SIDE]);
        __syncthreads();
    }
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLS; ++j) {
            const int row = row0 + threadIdx.y + i * SIDE, col = col0 + threadIdx.x + j * SIDE;
            if (row >= m || col >= n) continue;
            const Sum &first = sums[0][i][j], &second = sums[1][i][j];
            const darwarp::Scaled out = epilogue(darwarp::Scaled(first.value, first.scale), darwarp::Scaled(second.value, second.scale));
            C[size_t(row) * n + col] = out.value;
            C_scale[size_t(row) * n + col] = float(out.scale);
        }
}
