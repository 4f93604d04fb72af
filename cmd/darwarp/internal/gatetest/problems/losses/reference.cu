// The truth for cross entropy: a warp a row, in fp64. The scale is what each of its two parts may err by: the logarithm of a sum by
// what the sum does relative to itself, and either number by its own rounding.
__device__ double over_warp(double v, bool maximum) {
    for (int step = 16; step > 0; step /= 2) {
        const double other = __shfl_xor_sync(0xffffffffu, v, step);
        v = maximum ? fmax(v, other) : v + other;
    }
    return v;
}

extern "C" __global__ void __launch_bounds__(32)
reference(const T* x, const int* target, double* loss, float* loss_scale, int rows, int classes) {
    const int row = blockIdx.x;
    x += size_t(row) * classes;
    double top = -1e300, sum = 0;
    for (int c = threadIdx.x; c < classes; c += 32) top = fmax(top, double(x[c]));
    top = over_warp(top, true);
    for (int c = threadIdx.x; c < classes; c += 32) sum += exp(double(x[c]) - top);
    sum = log(over_warp(sum, false));
    if (threadIdx.x > 0) return;
    const bool asked = target[row] >= 0;
    loss[row] = asked ? top + sum - double(x[target[row]]) : 0;
    loss_scale[row] = asked ? float(1 + fabs(top) + sum + fabs(double(x[target[row]]))) : 0;
}
