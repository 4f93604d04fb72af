// The truth for dot products of rows, in fp64: a block for each row. The scale is the sum of the magnitudes.

constexpr int THREADS = 256;

extern "C" __global__ void __launch_bounds__(THREADS)
reference(const T* x, const T* w, double* y, float* y_scale, int rows, int cols) {
    __shared__ double sums[THREADS], magnitudes[THREADS];
    double sum = 0, magnitude = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        const double v = double(x[size_t(blockIdx.x) * cols + c]) * w[size_t(blockIdx.x) * cols + c];
        sum += v;
        magnitude += fabs(v);
    }
    sums[threadIdx.x] = sum;
    magnitudes[threadIdx.x] = magnitude;
    for (int n = THREADS / 2; n > 0; n /= 2) {
        __syncthreads();
        if (threadIdx.x < n) {
            sums[threadIdx.x] += sums[threadIdx.x + n];
            magnitudes[threadIdx.x] += magnitudes[threadIdx.x + n];
        }
    }
    if (threadIdx.x > 0) return;
    y[blockIdx.x] = sums[0];
    y_scale[blockIdx.x] = float(magnitudes[0]);
}
