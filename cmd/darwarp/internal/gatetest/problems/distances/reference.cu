// The truth for distances, a thread each, in fp64. All terms are of one sign, and a root halves relative errors.
extern "C" __global__ void reference(const T* A, const T* B, double* D, float* D_scale, int m, int n, int k) {
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= m * n) return;
    double sum = 0;
    for (int p = 0; p < k; ++p) {
        const double d = double(A[size_t(i / n) * k + p]) - double(B[size_t(i % n) * k + p]);
        sum += d * d;
    }
    D[i] = sqrt(sum), D_scale[i] = float(sqrt(sum));
}
