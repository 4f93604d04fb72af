// The truth for softmax of x + bias, in fp64: a block for each row. A right kernel errs by its sum of `cols` terms, for which the
// error model allows sqrt(cols) times the scale, and by the rounding of x + bias and of its distance from the maximum, which exp
// turns into a relative error of the result, whatever the length of the row. That part of the scale is divided by the factor that
// the model multiplies it with.

constexpr int THREADS = 256;

template <class Op>
__device__ double all(double v, double* slots, Op op) {
    slots[threadIdx.x] = v;
    __syncthreads();
    for (int n = THREADS / 2; n > 0; n /= 2) {
        if (threadIdx.x < n) slots[threadIdx.x] = op(slots[threadIdx.x], slots[threadIdx.x + n]);
        __syncthreads();
    }
    v = slots[0];
    __syncthreads();
    return v;
}

extern "C" __global__ void __launch_bounds__(THREADS)
reference(const T* x, const T* bias, double* y, float* y_scale, int rows, int cols) {
    __shared__ double slots[THREADS];
    const size_t row = size_t(blockIdx.x) * cols;
    double top = double(x[row]) + bias[0], sum = 0;
    for (int c = threadIdx.x; c < cols; c += THREADS) top = fmax(top, double(x[row + c]) + bias[c]);
    top = all(top, slots, [](double a, double b) { return fmax(a, b); });
    for (int c = threadIdx.x; c < cols; c += THREADS) sum += exp(double(x[row + c]) + bias[c] - top);
    sum = all(sum, slots, [](double a, double b) { return a + b; });
    const double model = fmax(fmax(16.0, 4 * sqrt(double(cols))), fmin(double(cols), 2048.0));
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        const double score = double(x[row + c]) + bias[c], v = exp(score - top) / sum;
        const double rounded = fabs(double(x[row + c])) + fabs(double(bias[c])) + 2 * fabs(top) + 2 * (top - score);
        y[row + c] = v;
        y_scale[row + c] = float(v * (1 + 2 * rounded / model));
    }
}
