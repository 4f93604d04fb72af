extern "C" __global__ void scale_reference(const T* x, double* y, float* scale, int rows, int columns) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * columns) return;
    y[i] = 2.0 * double(darwarp::to_float(x[i]));
    scale[i] = float(fabs(y[i]));
}
