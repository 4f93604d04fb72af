// The truth: plain, in fp64, with no thought of speed. T is the element type.
//
// A reference kernel takes the inputs in the order of problem.toml, then for each output its value
// as double and its scale as float, then the dims as int. The scale is the sum of the magnitudes
// of the terms: it says how much rounding is natural where terms cancel.

extern "C" __global__ void reference(const T* x, const T* bias, const T* residual, double* y, float* y_scale,
                                     int rows, int cols) {
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= (long long)rows * cols) return;
    const double a = darwarp::to_float(x[i]);
    const double b = darwarp::to_float(bias[i % cols]);
    const double r = darwarp::to_float(residual[i]);
    const double t = a + b;
    y[i] = 0.5 * t * (1.0 + erf(t * 0.70710678118654752)) + r;
    y_scale[i] = float(fabs(a) + fabs(b) + fabs(r));
}
