// The truth for the greatest number of each row: a block a row. What it takes from numbers is no rounding: the scale is its magnitude.

constexpr int THREADS = 256;

extern "C" __global__ void __launch_bounds__(THREADS) reference(const T* x, double* y, float* y_scale, int rows, int cols) {
    __shared__ double tops[THREADS];
    double top = -1e300;
    for (int c = threadIdx.x; c < cols; c += THREADS) top = fmax(top, double(darwarp::to_float(x[size_t(blockIdx.x) * cols + c])));
    tops[threadIdx.x] = top;
    for (int n = THREADS / 2; n > 0; n /= 2) {
        __syncthreads();
        if (threadIdx.x < n) tops[threadIdx.x] = fmax(tops[threadIdx.x], tops[threadIdx.x + n]);
    }
    if (threadIdx.x > 0) return;
    y[blockIdx.x] = tops[0];
    y_scale[blockIdx.x] = float(fabs(tops[0]));
}
