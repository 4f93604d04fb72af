// The truth for a step of Adam. The second moment is that of squares, so its sign is taken away. What is below the smallest
// normal number is rounded to its units before a root is taken of it.
extern "C" __global__ void reference(const T* weight, const T* gradient, const T* mean, const T* square, double* new_weight,
                                     float* w_scale, double* new_mean, float* m_scale, double* new_square, float* s_scale, int n) {
    const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (i >= n) return;
    const double w = weight[i], g = gradient[i], old = mean[i], v = fabs(double(square[i]));
    const double m = 0.9 * old + 0.1 * g, s = 0.999 * v + 0.001 * g * g, by = sqrt(s * 1000) + 1e-8;
    const double size = 0.9 * fabs(old) + 0.1 * fabs(g);
    new_mean[i] = m, m_scale[i] = float(size);
    new_square[i] = s, s_scale[i] = float(s);
    new_weight[i] = w - 0.01 * (10 * m / by + 0.1 * w);
    w_scale[i] = float(fabs(w) + 0.1 * (size + 1e-37) / by);
}
