// The truth for bits of comparisons, a lane a word. NaN is above nothing, and nothing is above it.
extern "C" __global__ void reference(const T* x, const T* t, double* y, float* y_scale, int rows, int cols) {
    const int words = (cols + 31) / 32;
    for (int w = threadIdx.x; w < words; w += 32) {
        unsigned bits = 0;
        for (int c = w * 32; c < min(cols, w * 32 + 32); ++c)
            if (double(x[size_t(blockIdx.x) * cols + c]) > double(t[blockIdx.x])) bits |= 1u << c % 32;
        y[size_t(blockIdx.x) * words + w] = int(bits), y_scale[size_t(blockIdx.x) * words + w] = fabsf(float(int(bits)));
    }
}
