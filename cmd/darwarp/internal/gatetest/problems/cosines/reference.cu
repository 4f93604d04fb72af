// The truth for cosines of rows, a warp each, in fp64. Errors of the lengths are relative to the whole, and
// what is below the smallest normal number is rounded to its units before it is divided.
__device__ double over_warp(double v) {
    for (int step = 16; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
    return v;
}

extern "C" __global__ void __launch_bounds__(32) reference(const T* a, const T* b, double* y, float* y_scale, int rows, int cols) {
    a += size_t(blockIdx.x) * cols, b += size_t(blockIdx.x) * cols;
    double aa = 0, bb = 0, ab = 0, size = 0;
    for (int c = threadIdx.x; c < cols; c += 32) {
        const double v = a[c], w = b[c];
        aa += v * v, bb += w * w, ab += v * w, size += fabs(v * w);
    }
    aa = over_warp(aa), bb = over_warp(bb), ab = over_warp(ab), size = over_warp(size);
    const double la = sqrt(aa), lb = sqrt(bb), by = (la > 1e-8 || la != la ? la : 1e-8) * (lb > 1e-8 || lb != lb ? lb : 1e-8);
    if (threadIdx.x == 0) y[blockIdx.x] = ab / by, y_scale[blockIdx.x] = float((2 * size + 1e-38) / by);
}
