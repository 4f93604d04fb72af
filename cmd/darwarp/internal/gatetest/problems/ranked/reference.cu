// The truth for the eight greatest numbers of a row and their places, a thread a row. Where a row has fewer, 0 and -1.
extern "C" __global__ void reference(const T* x, double* top, float* top_scale, double* place, float* place_scale, int rows, int cols) {
    const int row = blockIdx.x * 32 + threadIdx.x;
    if (row >= rows) return;
    double best[8];
    int at[8];
    for (int i = 0; i < 8; ++i) best[i] = 0, at[i] = -1;
    for (int c = 0; c < cols; ++c) {
        double v = x[size_t(row) * cols + c];
        int p = c;
        for (int i = 0; i < 8; ++i)
            if (at[i] < 0 || v > best[i] || (v == best[i] && p < at[i])) {
                const double w = best[i];
                const int q = at[i];
                best[i] = v, at[i] = p, v = w, p = q;
                if (p < 0) break;
            }
    }
    for (int i = 0; i < 8; ++i) {
        top[row * 8 + i] = best[i], top_scale[row * 8 + i] = float(fabs(best[i]));
        place[row * 8 + i] = at[i], place_scale[row * 8 + i] = 1;
    }
}
