// The truth for rows that go where a permutation says: a product each.
extern "C" __global__ void reference(const T* x, const int* to, const T* factor, double* y, float* y_scale, int rows, int cols) {
    const size_t from = size_t(blockIdx.x) * cols, at = size_t(to[blockIdx.x]) * cols;
    for (int c = threadIdx.x; c < cols; c += 32) {
        const double v = double(x[from + c]) * double(factor[blockIdx.x]);
        y[at + c] = v, y_scale[at + c] = float(fabs(v));
    }
}
