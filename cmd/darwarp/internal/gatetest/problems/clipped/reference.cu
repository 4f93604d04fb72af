// The truth for clipping by the norm: one block. Squares below the smallest normal
// number are rounded to its units.
extern "C" __global__ void reference(const T* x, double* y, float* y_scale, double* norm, float* norm_scale, int n) {
    __shared__ double parts[1024];
    double sum = 0;
    for (size_t i = threadIdx.x; i < n; i += 1024) sum += double(x[i]) * double(x[i]);
    parts[threadIdx.x] = sum;
    for (int step = 512; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) parts[threadIdx.x] += parts[threadIdx.x + step];
    }
    __syncthreads();
    const double size = sqrt(parts[0]), by = 1 / (size + 1e-6), f = by > 1 ? 1 : by;
    for (size_t i = threadIdx.x; i < n; i += 1024) {
        const double v = double(x[i]) * f;
        y[i] = v, y_scale[i] = float(fabs(v));
    }
    if (threadIdx.x == 0) norm[0] = size, norm_scale[0] = float(size + 1e-15 * sqrt(double(n)));
}
