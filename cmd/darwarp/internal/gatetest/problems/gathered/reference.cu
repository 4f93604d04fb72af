// The truth for bags of rows of a table: a warp a bag, a column a lane, in fp64, and the sum of the magnitudes as the scale.
extern "C" __global__ void __launch_bounds__(32)
reference(const T* table, const int* id, const T* weight, double* y, float* y_scale, int bags, int len, int vocab, int d) {
    const size_t bag = blockIdx.x;
    for (int c = threadIdx.x; c < d; c += 32) {
        double sum = 0, scale = 0;
        for (int l = 0; l < len; ++l) {
            const double term = double(weight[bag * len + l]) * double(table[size_t(id[bag * len + l]) * d + c]);
            sum += term, scale += fabs(term);
        }
        y[bag * d + c] = sum;
        y_scale[bag * d + c] = float(scale);
    }
}
