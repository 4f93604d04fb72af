// The truth for gelu(x + bias) + residual, in fp64. Each of the three may cancel against the others, so the scale is the
// sum of their magnitudes. It has t = x + bias twice more: near 0, five terms for 1 + erf with a quick division and power
// of two (Abramowitz and Stegun, 7.1.26) err by up to 26 roundoffs of fp32, and gelu by t/2 times that.
extern "C" __global__ void reference(const T* x, const T* bias, const T* residual, double* y, float* y_scale,
                                     int rows, int cols) {
    const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= size_t(rows) * cols) return;
    const double a = darwarp::to_float(x[i]), b = darwarp::to_float(bias[i % cols]), r = darwarp::to_float(residual[i]);
    const double t = a + b;
    y[i] = 0.5 * t * (1.0 + erf(t * 0.70710678118654752)) + r;
    y_scale[i] = float(fabs(a) + fabs(b) + fabs(r) + 2 * fabs(t));
}
