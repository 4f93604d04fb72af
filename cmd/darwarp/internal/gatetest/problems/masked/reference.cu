// The truth for softmax of what a mask shows, in fp64: a warp a row. Hidden numbers, and rows in which all are hidden or -inf, are 0.
__device__ double over_warp(double v, bool maximum) {
    for (int step = 16; step > 0; step /= 2) {
        const double other = __shfl_xor_sync(0xffffffffu, v, step);
        v = maximum ? fmax(v, other) : v + other;
    }
    return v;
}

extern "C" __global__ void __launch_bounds__(32)
reference(const T* x, const unsigned char* mask, double* y, float* y_scale, int rows, int cols) {
    const size_t row = size_t(blockIdx.x) * cols;
    double top = -1e300, sum = 0;
    for (int c = threadIdx.x; c < cols; c += 32) if (mask[row + c]) top = fmax(top, double(x[row + c]));
    top = over_warp(top, true);
    for (int c = threadIdx.x; c < cols; c += 32) if (mask[row + c]) sum += exp(double(x[row + c]) - top);
    sum = over_warp(sum, false);
    for (int c = threadIdx.x; c < cols; c += 32) {
        const double off = double(x[row + c]) - top, v = mask[row + c] && sum > 0 ? exp(off) / sum : 0;
        y[row + c] = v;
        y_scale[row + c] = v > 0 ? float(v * (1 - off / 8)) : 0;   // a distance from the maximum is rounded before it is an exponent
    }
}
