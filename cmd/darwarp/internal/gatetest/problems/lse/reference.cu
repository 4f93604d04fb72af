// The truth for logarithms of sums of exponentials, a thread a column; of nothing it is -inf. The scale has the maximum, which is
// rounded beside the logarithm, and 1 for the relative error of the sum; it is no less than the truth.
extern "C" __global__ void reference(const T* x, double* y, float* y_scale, int a, int b, int c) {
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= a * c) return;
    x += size_t(i / c) * b * c + i % c;
    double top = -1.0 / 0.0, sum = 0;
    for (int k = 0; k < b; ++k) {
        const double v = x[size_t(k) * c];
        top = v > top || v != v ? v : top;
    }
    for (int k = 0; k < b; ++k) sum += exp(double(x[size_t(k) * c]) - top);
    const double v = top == top && isinf(top) ? top : top + log(sum);
    y[i] = v, y_scale[i] = float(fmax(fabs(top) + 1, fabs(v)));
}
