// The truth for a transpose: nothing is rounded.
extern "C" __global__ void reference(const T* x, double* y, float* y_scale, int rows, int cols) {
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= size_t(rows) * cols) return;
    const double v = darwarp::to_float(x[i / rows + i % rows * cols]);
    y[i] = v;
    y_scale[i] = float(fabs(v));
}
