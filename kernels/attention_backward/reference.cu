// The truth for the gradients of attention, one head at a time, in fp64: with scores S = Q K^T / sqrt(d), weights
// P = exp(S - LSE), rest = dO V^T - delta and dS = P * rest
//     dQ = dS K / sqrt(d),    dK = dS^T Q / sqrt(d),    dV = P^T dO.
// Queries (Q, dO) and keys (K, V) take the same part in it: a row of 16 lanes owns one of them and takes the others 16 at a
// time. A lane multiplies one of these pairs, and then adds all 16 to its columns: to dQ, or to dK and dV.
//
// The scale is the sum of the magnitudes of the terms, and what the errors of scores and products do to these, as in
// kernels/attention/reference.cu: with a = sum |q k| / sqrt(d), and m and n as much of dO V and of dO O,
//     dV:  sum |dO| P (1 + w),                                w = (a + |LSE|) / 8
//     dQ:  sum |K| P (|rest| (1 + w) + (m + n) / 8) / sqrt(d),    and dK with Q in place of K
// where |LSE| is for the difference of a score and it, both rounded. P below the smallest normal fp32 number may count as 0,
// and as 16-bit operands of matrix units P and dS are off by half of the smallest subnormal number at least: LEAST, which
// the gate multiplies by the roundoff of the type.

constexpr int LANES = 16;
constexpr int ROWS = 8;              // of a block
constexpr int PER_LANE = 8;          // columns per lane
constexpr int COLUMNS = LANES * PER_LANE;
constexpr double FLUSHED = 2 * 0x1p-126 / 0x1p-12;     // of P; the gate multiplies by 2^-12 at least
template <class X> constexpr double LEAST = FLUSHED;
template <> constexpr double LEAST<__half> = 0x1p-25 / 0x1p-11;

// of_row adds over the lanes of a row.
__device__ double of_row(double v) {
    for (int step = LANES / 2; step > 0; step /= 2) v += __shfl_xor_sync(0xffffffffu, v, step);
    return v;
}

struct Delta { double value, size; };

// delta_of is the sum of dO * O of a query, by a row of lanes.
__device__ Delta delta_of(const T* dO, const T* O, int d) {
    Delta sum{0, 0};
    for (int i = threadIdx.x; i < d; i += LANES) {
        const double product = double(darwarp::to_float(dO[i])) * darwarp::to_float(O[i]);
        sum.value += product, sum.size += fabs(product);
    }
    return {of_row(sum.value), of_row(sum.size)};
}

extern "C" __global__ void __launch_bounds__(ROWS * LANES)
reference(const T* Q, const T* K, const T* V, const T* dO, const T* O, const float* LSE, double* dQ, float* dQ_scale,
          double* dK, float* dK_scale, double* dV, float* dV_scale, int b, int h, int s, int d, int causal) {
    const bool of_key = blockIdx.z == 1;
    const int lane = threadIdx.x, own = blockIdx.x * ROWS + threadIdx.y;
    const int row = min(own, s - 1);  // rows past the end work on the last one, for the shuffles, and store nothing
    const size_t head = size_t(blockIdx.y) * s * d;
    const T* mine[2] = {of_key ? K : Q, of_key ? V : dO};
    const T* others[2] = {of_key ? Q : K, of_key ? dO : V};
    __shared__ float ours[2][ROWS][COLUMNS + 1], theirs[2][LANES][COLUMNS + 1];
    __shared__ Delta deltas[LANES];
    for (int w = 0; w < 2; ++w)
        for (int i = lane; i < d; i += LANES) ours[w][threadIdx.y][i] = darwarp::to_float(mine[w][head + size_t(row) * d + i]);
    const Delta my_delta = delta_of(dO + head + size_t(row) * d, O + head + size_t(row) * d, d);
    const double root = sqrt(double(d));
    double one[PER_LANE] = {}, two[PER_LANE] = {};              // sums of dS x and of P y, for others x and y
    double one_size[PER_LANE] = {}, two_size[PER_LANE] = {};    // their scales
    // All rows of a block walk along the same others: those of a warp must stay together.
    const int begin = causal && of_key ? int(blockIdx.x) * ROWS / LANES * LANES : 0;
    const int end = causal && !of_key ? min(s, int(blockIdx.x + 1) * ROWS) : s;
    for (int first = begin; first < end; first += LANES) {
        __syncthreads();
        for (int k = threadIdx.y; k < LANES; k += ROWS) {
            const size_t at = head + size_t(min(first + k, s - 1)) * d;
            for (int w = 0; w < 2; ++w)
                for (int i = lane; i < d; i += LANES) theirs[w][k][i] = darwarp::to_float(others[w][at + i]);
            if (of_key) {
                const Delta delta = delta_of(dO + at, O + at, d);
                if (lane == 0) deltas[k] = delta;
            }
        }
        __syncthreads();
        const int other = first + lane, query = of_key ? other : row, key = of_key ? row : other;
        const bool seen = other < s && (!causal || key <= query);
        double score = 0, a = 0, rest = 0, m = 0;
        for (int i = 0; seen && i < d; ++i) {
            const double x = double(ours[0][threadIdx.y][i]) * theirs[0][lane][i];
            const double y = double(ours[1][threadIdx.y][i]) * theirs[1][lane][i];
            score += x, a += fabs(x), rest += y, m += fabs(y);
        }
        const double lse = seen ? LSE[size_t(blockIdx.y) * s + query] : 0;
        const Delta delta = of_key ? deltas[lane] : my_delta;
        const double p = seen ? exp(score / root - lse) : 0, doubt = 1 + (a / root + fabs(lse)) / 8;
        rest -= delta.value;
        const double p_size = seen ? p * doubt + LEAST<T> + FLUSHED : 0;
        const double s_size = seen ? p * (fabs(rest) * doubt + (m + delta.size) / 8) + LEAST<T> + FLUSHED * fabs(rest) : 0;
        for (int j = 0; j < LANES; ++j) {
            const double dp = __shfl_sync(0xffffffffu, p * rest, j, LANES), ds = __shfl_sync(0xffffffffu, s_size, j, LANES);
            const double q = __shfl_sync(0xffffffffu, p, j, LANES), qs = __shfl_sync(0xffffffffu, p_size, j, LANES);
            for (int c = 0; c < PER_LANE && lane + c * LANES < d; ++c) {
                const double x = theirs[0][j][lane + c * LANES], y = theirs[1][j][lane + c * LANES];
                one[c] += dp * x, one_size[c] += ds * fabs(x);
                two[c] += q * y, two_size[c] += qs * fabs(y);
            }
        }
    }
    if (own >= s) return;
    for (int c = 0; c < PER_LANE && lane + c * LANES < d; ++c) {
        const size_t at = head + size_t(own) * d + lane + c * LANES;
        (of_key ? dK : dQ)[at] = one[c] / root;
        (of_key ? dK_scale : dQ_scale)[at] = float(one_size[c] / root);
        if (of_key) dV[at] = two[c], dV_scale[at] = float(two_size[c]);
    }
}

// What follows makes inputs: O and LSE, as a forward pass leaves them. Their errors are nobody's, for all compute with the
// same. A warp has 16 queries and takes 16 keys at a time, straight from memory (FlashAttention-2, arXiv:2307.08691).

// pair_of is two neighbours in a row; pair_across are two numbers of one column.
__device__ unsigned pair_of(const T* p) { return *reinterpret_cast<const unsigned*>(p); }
__device__ unsigned pair_across(const T* upper, const T* lower) {
    return unsigned(*reinterpret_cast<const unsigned short*>(upper)) |
           unsigned(*reinterpret_cast<const unsigned short*>(lower)) << 16;
}

template <int D>
__device__ void forward_rows(const T* Q, const T* K, const T* V, T* O, float* LSE, int row, int s, int causal) {
    const int upper = threadIdx.x % 32 / 4, left = threadIdx.x % 4 * 2;   // of a tile of sums, as <darwarp/mma.cuh> says
    const float scale = 1.f / sqrtf(float(D));
    unsigned q[D / 16][4];
    #pragma unroll
    for (int step = 0; step < D / 16; ++step)
        #pragma unroll
        for (int e = 0; e < 4; ++e)
            q[step][e] = pair_of(Q + size_t(min(row + upper + e % 2 * 8, s - 1)) * D + step * 16 + e / 2 * 8 + left);
    float o[D / 8][4] = {}, most[2] = {-1e30f, -1e30f}, total[2] = {};
    for (int key0 = 0; key0 < (causal ? min(s, row + 16) : s); key0 += 16) {
        float scores[2][4] = {};
        #pragma unroll
        for (int n = 0; n < 2; ++n) {
            const T* k = K + size_t(min(key0 + 8 * n + upper, s - 1)) * D + left;
            #pragma unroll
            for (int step = 0; step < D / 16; ++step) {
                const unsigned keys[2] = {pair_of(k + step * 16), pair_of(k + step * 16 + 8)};
                darwarp::mma_m16n8k16<T>(scores[n], q[step], keys);
            }
        }
        #pragma unroll
        for (int half = 0; half < 2; ++half) {
            float top = most[half];
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                float& score = scores[e / 2][2 * half + e % 2];
                const int key = key0 + e / 2 * 8 + left + e % 2;
                const bool seen = key < s && (!causal || key <= row + upper + 8 * half);
                score = seen ? score * scale : -1e38f;
                top = fmaxf(top, score);
            }
            top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 1));
            top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, 2));
            const float shrink = expf(most[half] - top);
            most[half] = top, total[half] *= shrink;
            #pragma unroll
            for (int j = 0; j < D / 8; ++j) o[j][2 * half] *= shrink, o[j][2 * half + 1] *= shrink;
            #pragma unroll
            for (int e = 0; e < 4; ++e) {
                float& score = scores[e / 2][2 * half + e % 2];
                score = expf(score - top);
                total[half] += score;
            }
        }
        unsigned weights[4];
        #pragma unroll
        for (int e = 0; e < 4; ++e) weights[e] = darwarp::pack2<T>(scores[e / 2][e % 2 * 2], scores[e / 2][e % 2 * 2 + 1]);
        const T* v[4];
        #pragma unroll
        for (int e = 0; e < 4; ++e) v[e] = V + size_t(min(key0 + e / 2 * 8 + left + e % 2, s - 1)) * D + upper;
        #pragma unroll
        for (int j = 0; j < D / 8; ++j) {
            const unsigned values[2] = {pair_across(v[0] + 8 * j, v[1] + 8 * j), pair_across(v[2] + 8 * j, v[3] + 8 * j)};
            darwarp::mma_m16n8k16<T>(o[j], weights, values);
        }
    }
    #pragma unroll
    for (int half = 0; half < 2; ++half) {
        total[half] += __shfl_xor_sync(0xffffffffu, total[half], 1);
        total[half] += __shfl_xor_sync(0xffffffffu, total[half], 2);
        const int query = row + upper + 8 * half;
        if (query >= s) continue;
        if (left == 0) LSE[query] = most[half] + logf(total[half]);
        #pragma unroll
        for (int j = 0; j < D / 8; ++j)
            *reinterpret_cast<unsigned*>(O + size_t(query) * D + 8 * j + left) =
                darwarp::pack2<T>(o[j][2 * half] / total[half], o[j][2 * half + 1] / total[half]);
    }
}

extern "C" __global__ void __launch_bounds__(128)
forward(const T* Q, const T* K, const T* V, const T* dO, T* O, float* LSE, int b, int h, int s, int d, int causal) {
    const int row = blockIdx.x * 64 + threadIdx.x / 32 * 16;
    const size_t head = size_t(blockIdx.y) * s * d;
    if (row >= s) return;
    if (d == 64) forward_rows<64>(Q + head, K + head, V + head, O + head, LSE + size_t(blockIdx.y) * s, row, s, causal);
    else forward_rows<128>(Q + head, K + head, V + head, O + head, LSE + size_t(blockIdx.y) * s, row, s, causal);
}
