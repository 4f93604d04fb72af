// The truth for mean, largest number and its first place, in fp64: a block for each row.

constexpr int THREADS = 256;

extern "C" __global__ void __launch_bounds__(THREADS)
reference(const T* x, double* mean, float* mean_scale, double* peak, float* peak_scale, double* place, float* place_scale, int rows, int cols) {
    __shared__ double sums[THREADS], magnitudes[THREADS], tops[THREADS];
    __shared__ int places[THREADS];
    double sum = 0, magnitude = 0, top = -1e300;
    int at = cols;
    for (int c = threadIdx.x; c < cols; c += THREADS) {
        const double v = x[size_t(blockIdx.x) * cols + c];
        sum += v;
        magnitude += fabs(v);
        if (v > top) top = v, at = c;
    }
    sums[threadIdx.x] = sum, magnitudes[threadIdx.x] = magnitude, tops[threadIdx.x] = top, places[threadIdx.x] = at;
    for (int n = THREADS / 2; n > 0; n /= 2) {
        __syncthreads();
        if (threadIdx.x >= n) continue;
        const int o = threadIdx.x + n;
        sums[threadIdx.x] += sums[o], magnitudes[threadIdx.x] += magnitudes[o];
        if (tops[o] > tops[threadIdx.x] || tops[o] == tops[threadIdx.x] && places[o] < places[threadIdx.x]) {
            tops[threadIdx.x] = tops[o], places[threadIdx.x] = places[o];
        }
    }
    if (threadIdx.x > 0) return;
    const int row = blockIdx.x;
    mean[row] = sums[0] / cols, mean_scale[row] = float(magnitudes[0] / cols);
    peak[row] = tops[0], peak_scale[row] = float(fabs(tops[0]));
    place[row] = places[0], place_scale[row] = float(places[0]);
}
