// The truth for C = A * ((B - B_zero) * B_scale)^T: sums in fp64, and beside each the sum of the terms' magnitudes, by which
// its rounding error is judged. A term has at most 11 + 5 + 11 bits, which is exact in fp64, so only the sum rounds.
extern "C" __global__ void reference(const T* A, const unsigned char* B, const T* B_scale, const unsigned char* B_zero,
                                     double* C, float* C_scale, int m, int n, int k, int group) {
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x, groups = k / group;
    if (row >= m || col >= n) return;
    double sum = 0, magnitude = 0;
    for (int g = 0; g < groups; ++g) {
        const double scale = darwarp::to_float(B_scale[size_t(col) * groups + g]);
        const int zero = B_zero[size_t(col) * groups + g];
        for (int i = g * group; i < (g + 1) * group; ++i) {
            const int code = B[size_t(col) * (k / 2) + i / 2] >> 4 * (i % 2) & 15;
            const double term = darwarp::to_float(A[size_t(row) * k + i]) * ((code - zero) * scale);
            sum += term;
            magnitude += fabs(term);
        }
    }
    C[size_t(row) * n + col] = sum;
    C_scale[size_t(row) * n + col] = float(magnitude);
}
