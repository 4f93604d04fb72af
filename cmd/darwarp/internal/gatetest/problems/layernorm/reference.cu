// The truth for layernorm, in fp64: a block for each row. The mean is off by a part of the mean magnitude, which stays when x
// and the mean nearly cancel; the distance from it is twice in the scale, for itself and for the deviation.

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
    double sum = 0, magnitude = 0, squares = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        const double v = darwarp::to_float(x[row + c]);
        sum += v;
        magnitude += fabs(v);
    }
    const double mean = all(sum, slots) / cols;
    magnitude = all(magnitude, slots) / cols;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        const double v = darwarp::to_float(x[row + c]) - mean;
        squares += v * v;
    }
    const double scale = 1 / sqrt(all(squares, slots) / cols + 1e-5);
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        const double v = darwarp::to_float(x[row + c]) - mean, w = scale * darwarp::to_float(weight[c]);
        y[row + c] = v * w;
        y_scale[row + c] = float(fabs(w) * (2 * fabs(v) + magnitude));
    }
}
