// The truth for C = A * (B * B_scale)^T: sums in fp64, and beside each the sum of the terms' magnitudes, by which its rounding error
// is judged. A term has at most 11 + 2 bits, and a power of two, so only the sum rounds.
__device__ double number(int code) {
    const int exponent = code >> 1 & 3, mantissa = code & 1;
    const double magnitude = exponent == 0 ? 0.5 * mantissa : (1 + 0.5 * mantissa) * (1 << (exponent - 1));
    return code & 8 ? -magnitude : magnitude;
}

extern "C" __global__ void reference(const T* A, const unsigned char* B, const unsigned char* B_scale,
                                     double* C, float* C_scale, int m, int n, int k) {
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x, groups = k / 32;
    if (row >= m || col >= n) return;
    double sum = 0, magnitude = 0;
    for (int g = 0; g < groups; ++g) {
        const double scale = ldexp(1., B_scale[size_t(col) * groups + g] - 127);
        for (int i = g * 32; i < (g + 1) * 32; ++i) {
            const int code = B[size_t(col) * (k / 2) + i / 2] >> 4 * (i % 2) & 15;
            const double term = darwarp::to_float(A[size_t(row) * k + i]) * (number(code) * scale);
            sum += term;
            magnitude += fabs(term);
        }
    }
    C[size_t(row) * n + col] = sum;
    C_scale[size_t(row) * n + col] = float(magnitude);
}
