// The truth for attention of packed sequences: scores, weights and sums in fp64, with the running maximum of online
// softmax (Milakov, Gimelshein, arXiv:1805.02867), which fp64 makes exact enough. Value and scale of O are those of
// kernels/attention/reference.cu, which derives them; cap * tanh(x / cap) makes no difference of two scores larger. An
// output that sees no key is 0, and its scale, too.
//
// LSE = most + log(total), whose scale is 1 + |LSE| + sum p a / 8, with a = sum |q k| / sqrt(d): what an error of the scores
// does to it, as in that of O, and 1 for the error of the sum, whose logarithm makes of it a difference. Of no key it is -inf.
//
// A row of 16 lanes owns a query and up to 128 columns of it. It takes 16 keys at a time: a lane scores one of them, and
// then adds all 16 to its columns. The two rows of a warp go on until both have seen all of their keys.

constexpr int LANES = 16;
constexpr int ROWS = 8;              // queries per block
constexpr int PER_LANE = 8;          // columns of O per lane
constexpr int COLUMNS = LANES * PER_LANE;
constexpr double UNSEEN = -1e300;    // below every score
constexpr double FLUSHED = 2 * 0x1p-126 / 0x1p-12;     // per |v|: weights that are 0 in fp32
template <class X> constexpr double LEAST = FLUSHED;
template <> constexpr double LEAST<__half> = FLUSHED + 0x1p-25 / 0x1p-11;    // and half of its smallest number

// of_row reduces over the lanes of a row.
template <class F>
__device__ double of_row(double v, F f) {
    for (int step = LANES / 2; step > 0; step /= 2) v = f(v, __shfl_xor_sync(0xffffffffu, v, step));
    return v;
}

extern "C" __global__ void __launch_bounds__(ROWS * LANES)
reference(const T* Q, const T* K, const T* V, const int* starts_q, const int* starts_k, double* O, float* O_scale,
          double* LSE, float* LSE_scale, int b, int h, int g, int m, int n, int d, int causal, int window, int cap, int even) {
    const int lane = threadIdx.x, query = blockIdx.y * ROWS + threadIdx.y, first = blockIdx.z * COLUMNS;
    const int row = min(query, m - 1);  // rows past the end work on the last one, for the shuffles, and store nothing
    const int head = blockIdx.x, values = d == 192 ? 128 : d;
    int sequence = 0;
    while (sequence + 1 < b && row >= starts_q[sequence + 1]) ++sequence;
    const int keys = starts_k[sequence + 1] - starts_k[sequence];
    const int after = row + 1 - starts_q[sequence] + keys - (starts_q[sequence + 1] - starts_q[sequence]);  // where it stands
    const int seen_from = window > 0 ? max(0, after - window) : 0, seen_to = causal ? after : keys;
    const T* q = Q + (size_t(row) * h * g + head) * d;
    const size_t at_key = size_t(starts_k[sequence]) * h + head / g;
    const double root = sqrt(double(d));
    double most = UNSEEN, total = 0, spread = 0;        // of scores; of weights; of weights times a
    double sum[PER_LANE] = {};                             // of p v
    double size[PER_LANE] = {}, risk[PER_LANE] = {};       // of p |v|; of p |v| a
    double flushed[PER_LANE] = {};                         // of |v|, times LEAST
    const int mine = max(0, seen_to - seen_from), count = max(mine, __shfl_xor_sync(0xffffffffu, mine, LANES));
    for (int key0 = seen_from; key0 < seen_from + count; key0 += LANES) {
        const int key = key0 + lane;
        const bool seen = key < seen_to;
        double score = 0, magnitude = 0;
        if (seen) {
            const T* k = K + (at_key + size_t(key) * h) * d;
            for (int i = 0; i < d; ++i) {
                const double product = double(darwarp::to_float(q[i])) * double(darwarp::to_float(k[i]));
                score += product;
                magnitude += fabs(product);
            }
        }
        score /= root;
        magnitude /= root;
        if (cap > 0) score = cap * tanh(score / cap);
        if (!seen) score = UNSEEN;
        const double now = fmax(most, of_row(score, [](double x, double y) { return fmax(x, y); }));
        const double weight = seen ? exp(score - now) : 0, shrink = exp(most - now);
        most = now;
        total = total * shrink + of_row(weight, [](double x, double y) { return x + y; });
        spread = spread * shrink + of_row(weight * magnitude, [](double x, double y) { return x + y; });
        for (int c = 0; c < PER_LANE; ++c) sum[c] *= shrink, size[c] *= shrink, risk[c] *= shrink;
        for (int j = 0; j < LANES; ++j) {
            const double p = __shfl_sync(0xffffffffu, weight, j, LANES), a = __shfl_sync(0xffffffffu, magnitude, j, LANES);
            if (key0 + j >= seen_to) continue;
            const T* v = V + (at_key + size_t(key0 + j) * h) * values + first + lane;
            for (int c = 0; c < PER_LANE && first + lane + c * LANES < values; ++c) {
                const double x = darwarp::to_float(v[c * LANES]);
                sum[c] += p * x;
                size[c] += p * fabs(x);
                risk[c] += p * fabs(x) * a;
                flushed[c] += fabs(x) * LEAST<T>;
            }
        }
    }
    if (query >= m) return;
    if (first == 0 && lane == 0) {
        const double lse = total > 0 ? most + log(total) : -__longlong_as_double(0x7ff0000000000000ll);
        LSE[size_t(head) * m + query] = lse;
        LSE_scale[size_t(head) * m + query] = total > 0 ? float(1 + fabs(lse) + spread / total / 8) : 0;
    }
    for (int c = 0; c < PER_LANE && first + lane + c * LANES < values; ++c) {
        const size_t at = (size_t(query) * h * g + head) * values + first + lane + c * LANES;
        const double o = total > 0 ? sum[c] / total : 0;
        O[at] = o;
        O_scale[at] = total > 0 ? float((size[c] + (risk[c] + fabs(o) * spread) / 8 + flushed[c]) / total) : 0;
    }
}
