// The truth for a triangle times a matrix. What stands above the diagonal of A is not looked at.
extern "C" __global__ void reference(const T* A, const T* B, double* C, float* C_scale, int n, int m) {
    const size_t r = blockIdx.x;
    for (int j = threadIdx.x; j < m; j += 32) {
        double sum = 0, size = 0;
        for (size_t k = 0; k <= r; ++k) {
            const double term = double(A[r * n + k]) * double(B[k * m + j]);
            sum += term, size += fabs(term);
        }
        C[r * m + j] = sum, C_scale[r * m + j] = float(size);
    }
}
