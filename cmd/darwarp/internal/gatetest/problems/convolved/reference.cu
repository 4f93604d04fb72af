// The truth for a causal convolution: the last weight is that of the number itself. There is nothing before a row.
extern "C" __global__ void reference(const T* x, const T* w, const T* bias, double* y, float* y_scale, int rows, int cols) {
    const size_t at = size_t(blockIdx.x) * cols;
    for (int c = threadIdx.x; c < cols; c += 32) {
        double sum = bias[blockIdx.x], size = fabs(sum);
        for (int j = c < 3 ? 3 - c : 0; j < 4; ++j) {
            const double term = double(w[blockIdx.x * 4 + j]) * double(x[at + c - 3 + j]);
            sum += term, size += fabs(term);
        }
        y[at + c] = sum, y_scale[at + c] = float(size);
    }
}
