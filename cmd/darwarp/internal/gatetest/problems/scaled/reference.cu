// The truth of C = (A * A_scale) * (B * B_scale)^T in fp64, and the sum of the magnitudes as the scale of its rounding error.
#include <darwarp/fp8.cuh>

extern "C" __global__ void reference(const __nv_fp8_e4m3* A, const __nv_fp8_e4m3* B, const float* A_scale, const float* B_scale,
                                     double* C, float* C_scale, int m, int n, int k) {
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x, groups = (k + 31) / 32;
    if (row >= m || col >= n) return;
    double sum = 0, scale = 0;
    for (int i = 0; i < k; ++i) {
        const double a = darwarp::to_float(A[size_t(row) * k + i]), b = darwarp::to_float(B[size_t(col) * k + i]);
        const double term = a * b * A_scale[row * groups + i / 32] * B_scale[col * groups + i / 32];
        sum += term;
        scale += fabs(term);
    }
    C[size_t(row) * n + col] = sum;
    C_scale[size_t(row) * n + col] = float(scale);
}
