extern "C" __global__ void axpy_reference(const T* x, const T* y, double* z, float* scale, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const double a = 2.0 * double(darwarp::to_float(x[i])), b = double(darwarp::to_float(y[i]));
    z[i] = a + b;
    scale[i] = float(fabs(a) + fabs(b));
}
