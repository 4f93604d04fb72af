// The truth of C = A * ((B - B_zero) * B_scale)^T in fp64, and the sum of the magnitudes as the scale of its rounding error.
extern "C" __global__ void reference(const T* A, const unsigned char* B, const T* B_scale, const unsigned char* B_zero,
                                     double* C, float* C_scale, int m, int n, int k) {
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= m || col >= n) return;
    double sum = 0, scale = 0;
    for (int i = 0; i < k; ++i) {
        const int at = col * (k / 32) + i / 32, code = B[size_t(col) * (k / 2) + i / 2] >> 4 * (i % 2) & 15;
        const double term = double(darwarp::to_float(A[size_t(row) * k + i])) * (code - B_zero[at]) * darwarp::to_float(B_scale[at]);
        sum += term;
        scale += fabs(term);
    }
    C[size_t(row) * n + col] = sum;
    C_scale[size_t(row) * n + col] = float(scale);
}
