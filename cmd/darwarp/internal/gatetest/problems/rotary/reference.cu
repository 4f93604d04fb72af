// The truth for a rotary embedding: two products for each number.
extern "C" __global__ void reference(const T* x, const int* place, const T* cosine, const T* sine, double* y, float* y_scale,
                                     int rows, int half, int places) {
    const size_t at = size_t(blockIdx.x) * 2 * half, from = size_t(place[blockIdx.x]) * half;
    for (int i = threadIdx.x; i < half; i += 32) {
        const double a = x[at + i], b = x[at + half + i], c = cosine[from + i], s = sine[from + i];
        y[at + i] = a * c - b * s, y_scale[at + i] = float(fabs(a * c) + fabs(b * s));
        y[at + half + i] = b * c + a * s, y_scale[at + half + i] = float(fabs(b * c) + fabs(a * s));
    }
}
