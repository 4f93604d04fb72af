// The truth for a norm of columns, in fp64: a warp for each column. The scale is that of layernorm: the mean is off by a part of the
// mean magnitude, and the distance from it counts twice, for itself and for the deviation.
__device__ double over_warp(double v) {
    for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
    return v;
}

extern "C" __global__ void __launch_bounds__(32) reference(const T* x, double* y, float* y_scale, int rows, int cols) {
    const size_t col = blockIdx.x;
    double sum = 0, magnitude = 0, squares = 0;
    for (int r = threadIdx.x; r < rows; r += 32) sum += double(x[r * size_t(cols) + col]), magnitude += fabs(double(x[r * size_t(cols) + col]));
    const double mean = over_warp(sum) / rows;
    magnitude = over_warp(magnitude) / rows;
    for (int r = threadIdx.x; r < rows; r += 32) {
        const double v = double(x[r * size_t(cols) + col]) - mean;
        squares += v * v;
    }
    const double scale = 1 / sqrt(over_warp(squares) / rows + 1e-5);
    for (int r = threadIdx.x; r < rows; r += 32) {
        const double v = double(x[r * size_t(cols) + col]) - mean;
        y[r * size_t(cols) + col] = v * scale;
        y_scale[r * size_t(cols) + col] = float(scale * (2 * fabs(v) + magnitude));
    }
}
