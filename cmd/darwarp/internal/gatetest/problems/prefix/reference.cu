// The truth for running sums, in fp64: a warp for each row.
extern "C" __global__ void __launch_bounds__(32)
reference(const T* x, double* y, float* y_scale, int rows, int cols) {
    const size_t row = size_t(blockIdx.x) * cols;
    const int lane = threadIdx.x;
    double before = 0, size_before = 0;
    for (int c0 = 0; c0 < cols; c0 += 32) {
        const int c = c0 + lane;
        double sum = c < cols ? double(darwarp::to_float(x[row + c])) : 0, size = fabs(sum);
        for (int step = 1; step < 32; step *= 2) {
            const double s = __shfl_up_sync(0xffffffffu, sum, step), a = __shfl_up_sync(0xffffffffu, size, step);
            if (lane >= step) sum += s, size += a;
        }
        sum += before, size += size_before;
        if (c < cols) y[row + c] = sum, y_scale[row + c] = float(size);
        before = __shfl_sync(0xffffffffu, sum, 31), size_before = __shfl_sync(0xffffffffu, size, 31);
    }
}
