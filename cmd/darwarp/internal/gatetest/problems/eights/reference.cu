// The truth for a product of int8 with scales. The sum is a whole number, so only the scales are rounded.
extern "C" __global__ void reference(const signed char* A, const signed char* B, const T* row_scale, const T* column_scale, double* C,
                                     float* C_scale, int m, int n, int k) {
    const size_t i = blockIdx.x;
    for (int j = threadIdx.x; j < n; j += 64) {
        long long sum = 0, size = 0;
        for (int t = 0; t < k; ++t) {
            const int term = int(A[i * k + t]) * int(B[size_t(j) * k + t]);
            sum += term, size += abs(term);
        }
        const double by = double(row_scale[i]) * double(column_scale[j]);
        C[i * n + j] = by * sum, C_scale[i * n + j] = float(by * size);
    }
}
