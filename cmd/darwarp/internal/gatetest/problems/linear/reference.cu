// The truth of C = A * B^T + bias in fp64, and the sum of the magnitudes as the scale of its rounding error.
extern "C" __global__ void reference(const T* A, const T* B, const T* bias, double* C, float* C_scale, int m, int n, int k) {
    const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    if (row >= m || col >= n) return;
    double sum = bias[col];
    float scale = fabsf(bias[col]);
    for (int i = 0; i < k; ++i) {
        const double a = A[size_t(row) * k + i], b = B[size_t(col) * k + i];
        sum = fma(a, b, sum);
        scale += fabsf(float(a * b));
    }
    C[size_t(row) * n + col] = sum;
    C_scale[size_t(row) * n + col] = scale;
}
