// The truth for a matrix times a vector, in fp64: a warp for each row.
extern "C" __global__ void __launch_bounds__(32)
reference(const T* x, const T* w, double* y, float* y_scale, int rows, int cols) {
    double sum = 0, size = 0;
    for (int c = threadIdx.x; c < cols; c += 32) {
        const double v = double(darwarp::to_float(x[size_t(blockIdx.x) * cols + c])) * darwarp::to_float(w[c]);
        sum += v, size += fabs(v);
    }
    for (int step = 16; step; step /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
        size += __shfl_xor_sync(0xffffffffu, size, step);
    }
    if (threadIdx.x == 0) y[blockIdx.x] = sum, y_scale[blockIdx.x] = float(size);
}
