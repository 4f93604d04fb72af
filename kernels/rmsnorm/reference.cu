// The truth for rmsnorm, in fp64: a block for each row. All terms of the sum are positive, so its error is relative;
// the scale is twice the result for the root and the products beside it.

constexpr int THREADS = 256;

__device__ double all(double v, double* slots) {
    slots[threadIdx.x] = v;
    __syncthreads();
    for (int n = THREADS / 2; n > 0; n /= 2) {
        if (threadIdx.x < n) slots[threadIdx.x] += slots[threadIdx.x + n];
        __syncthreads();
    }
    v = slots[0];
    __syncthreads();
    return v;
}

extern "C" __global__ void __launch_bounds__(THREADS)
reference(const T* x, const T* weight, double* y, float* y_scale, int rows, int cols) {
    __shared__ double slots[THREADS];
    const size_t row = size_t(blockIdx.x) * cols;
    double sum = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        const double v = darwarp::to_float(x[row + c]);
        sum += v * v;
    }
    const double scale = 1 / sqrt(all(sum, slots) / cols + 1e-6);
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        const double v = darwarp::to_float(x[row + c]) * scale * darwarp::to_float(weight[c]);
        y[row + c] = v;
        y_scale[row + c] = float(2 * fabs(v));
    }
}
