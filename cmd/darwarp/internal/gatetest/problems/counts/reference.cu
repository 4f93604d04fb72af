// The truth for a histogram: a warp a bin, which looks at all numbers. What is counted is not rounded; the scale is the count.
extern "C" __global__ void __launch_bounds__(32) reference(const int* id, double* y, float* y_scale, int n, int bins) {
    int count = 0;
    for (int i = threadIdx.x; i < n; i += 32) count += id[i] == int(blockIdx.x);
    for (int step = 16; step > 0; step /= 2) count += __shfl_xor_sync(0xffffffffu, count, step);
    if (threadIdx.x > 0) return;
    y[blockIdx.x] = count;
    y_scale[blockIdx.x] = float(count);
}
