// The truth for O = softmax(Q * K^T / sqrt(d)) * V, one head at a time: scores, weights and sums in fp64,
// with the running maximum of online softmax (Milakov, Gimelshein, arXiv:1805.02867), which fp64 makes exact enough.
//
// The scale of an element o = sum p v, with weights p that sum to 1, is
//     sum p |v|  +  (sum p (|v| + |o|) a) / 8,    a = sum |q k| / sqrt(d).
// The first part is the sum of the magnitudes of its terms. The second is what an error of the scores does to it:
// a score off by e changes o by p (v - o) e, and e is the error of a sum of d terms of magnitude a. The gate multiplies
// the scale by 4 sqrt(s + d) roundoffs, 32 at least, and a quarter of sqrt(d) is ample for a score: hence the 8.
//
// A third part is underflow. A weight below the smallest normal fp32 number may count as 0, and so may the factor with
// which a part of the keys enters the whole (split keys), whatever the size of v. Either changes o by up to 2^-126 of
// the sum of all |v|, which is far below the other parts unless all v of large weight are 0. Weights that matrix units
// take as fp16 are off by half of its smallest number, 2^-25, or vanish; the gate multiplies by the roundoff of fp16.
//
// A row of 16 lanes owns a query and up to 128 columns of it. It takes 16 keys at a time: a lane scores one
// of them, and then adds all 16 to its columns. The rows of a block share the keys in shared memory, 128 numbers of each
// at a time, and lanes that read theirs in step meet no bank twice.

constexpr int LANES = 16;
constexpr int ROWS = 8;              // queries per block
constexpr int PER_LANE = 8;          // columns of O per lane
constexpr int COLUMNS = LANES * PER_LANE;
constexpr double UNSEEN = -1e300;    // below every score
constexpr double FLUSHED = 2 * 0x1p-126 / 0x1p-12;     // per |v|: both; the gate multiplies by 2^-12 at least
template <class X> constexpr double LEAST = FLUSHED;
template <> constexpr double LEAST<__half> = FLUSHED + 0x1p-25 / 0x1p-11;    // and half of its smallest number

// of_row reduces over the lanes of a row.
template <class F>
__device__ double of_row(double v, F f) {
    for (int step = LANES / 2; step > 0; step /= 2) v = f(v, __shfl_xor_sync(0xffffffffu, v, step));
    return v;
}

extern "C" __global__ void __launch_bounds__(ROWS * LANES)
reference(const T* Q, const T* K, const T* V, double* O, float* O_scale, int b, int h, int s, int d, int causal) {
    const int lane = threadIdx.x, query = blockIdx.x * ROWS + threadIdx.y, first = blockIdx.z * COLUMNS;
    const int row = min(query, s - 1);  // rows past the end work on the last one, for the shuffles, and store nothing
    const size_t head = size_t(blockIdx.y) * s * d;
    const T* q = Q + head + size_t(row) * d;
    __shared__ float keys[LANES][COLUMNS + 1], queries[ROWS][COLUMNS + 1];
    const double root = sqrt(double(d));
    double most = UNSEEN, total = 0, spread = 0;        // of scores; of weights; of weights times a
    double sum[PER_LANE] = {};                             // of p v
    double size[PER_LANE] = {}, risk[PER_LANE] = {};       // of p |v|; of p |v| a
    double flushed[PER_LANE] = {};                         // of |v|, times LEAST
    // All rows of a block walk to the end of the last one: those of a warp must stay together.
    const int last = min(s, int(blockIdx.x + 1) * ROWS), end = causal ? last : s;
    for (int key0 = 0; key0 < end; key0 += LANES) {
        const int key = key0 + lane;
        const bool seen = key < s && (!causal || key <= row);
        double score = 0, magnitude = 0;
        for (int from = 0; from < d; from += COLUMNS) {
            const int count = min(COLUMNS, d - from);
            __syncthreads();
            for (int k = threadIdx.y; k < LANES; k += ROWS)
                if (key0 + k < s)
                    for (int i = lane; i < count; i += LANES)
                        keys[k][i] = darwarp::to_float(K[head + size_t(key0 + k) * d + from + i]);
            if (key0 == 0 || d > COLUMNS)
                for (int i = lane; i < count; i += LANES) queries[threadIdx.y][i] = darwarp::to_float(q[from + i]);
            __syncthreads();
            for (int i = 0; seen && i < count; ++i) {
                const double product = queries[threadIdx.y][i] * keys[lane][i];  // exact in fp32
                score += product;
                magnitude += fabs(product);
            }
        }
        score = seen ? score / root : UNSEEN;
        magnitude /= root;
        const double now = fmax(most, of_row(score, [](double x, double y) { return fmax(x, y); }));
        const double weight = seen ? exp(score - now) : 0, shrink = exp(most - now);
        most = now;
        total = total * shrink + of_row(weight, [](double x, double y) { return x + y; });
        spread = spread * shrink + of_row(weight * magnitude, [](double x, double y) { return x + y; });
        for (int c = 0; c < PER_LANE; ++c) sum[c] *= shrink, size[c] *= shrink, risk[c] *= shrink;
        for (int j = 0; j < LANES; ++j) {
            const double p = __shfl_sync(0xffffffffu, weight, j, LANES), a = __shfl_sync(0xffffffffu, magnitude, j, LANES);
            if (key0 + j >= s || (causal && key0 + j > row)) continue;
            const T* v = V + head + size_t(key0 + j) * d + first + lane;
            for (int c = 0; c < PER_LANE && first + lane + c * LANES < d; ++c) {
                const double x = darwarp::to_float(v[c * LANES]);
                sum[c] += p * x;
                size[c] += p * fabs(x);
                risk[c] += p * fabs(x) * a;
                flushed[c] += fabs(x) * LEAST<T>;
            }
        }
    }
    if (query >= s) return;
    for (int c = 0; c < PER_LANE && first + lane + c * LANES < d; ++c) {
        const size_t at = head + size_t(query) * d + first + lane + c * LANES;
        const double o = sum[c] / total;
        O[at] = o;
        O_scale[at] = float((size[c] + (risk[c] + fabs(o) * spread) / 8 + flushed[c]) / total);
    }
}
