// The truth for the norm of rows, in fp64: a block for each row.

constexpr int THREADS = 256;

extern "C" __global__ void __launch_bounds__(THREADS)
reference(const T* x, const T* weight, double* y, float* y_scale, int rows, int cols) {
    __shared__ double slots[THREADS];
    const size_t row = size_t(blockIdx.x) * cols;
    double squares = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        const double v = darwarp::to_float(x[row + c]);
        squares += v * v;
    }
    slots[threadIdx.x] = squares;
    __syncthreads();
    for (int n = THREADS / 2; n > 0; n /= 2) {
        if (threadIdx.x < n) slots[threadIdx.x] += slots[threadIdx.x + n];
        __syncthreads();
    }
    const double scale = 1 / sqrt(slots[0] / cols + 1e-5);
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        const double v = scale * darwarp::to_float(x[row + c]) * darwarp::to_float(weight[c]);
        y[row + c] = v;
        y_scale[row + c] = float(fabs(v));
    }
}
