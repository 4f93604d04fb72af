// The truth, in fp64, with the error of each number beside it: transpose, matmul
// Num is a number of the truth with its error: e in roundings of single operations, which a right kernel makes some units
// large, and k in errors of sums, which grow with the number of terms.
struct Num {
    double v, e, k;
};

__device__ Num exactly(double v) { return Num{v, 0, 0}; }

// times is a product of an error, where no error times inf is none.
__device__ double times(double a, double error) { return error == 0 ? 0 : a * error; }

// FLOATS: what is too large for a float on the way is inf, as in torch, whatever is made of it: exp(x) / (1 + exp(x)) is NaN for x
// from 89 on, and 1 / (1 + exp(x)) is 0.
constexpr bool FLOATS = true;

// num is a number whose errors are numbers, too: inf and NaN have none, and what was worked out from them has its own size's. One
// that is too small for a normal float may be 0.
__device__ Num num(double v, double e, double k) {
    const double most = 3.4028234663852886e38, least = 1.1754943508222875e-38, size = fabs(v);
    if (v - v != 0) return exactly(v);
    if (FLOATS && size > most * (1 + 3e-8)) return exactly(copysign(double(__int_as_float(0x7f800000)), v));
    const double flushed = v != 0 && size < least ? 5e-32 : 0;  // 4 units of 2^-24 are the least normal float
    return Num{v, (e - e == 0 ? e : size) + flushed, k - k == 0 ? k : 0};
}

// smooth is a function's value, of which its own rounding is `own`, with the error of its argument times the derivative.
__device__ Num smooth(double y, double own, Num a, double derivative) {
    const double d = fabs(derivative);
    return num(y, fabs(own) + times(d, a.e), times(d, a.k));
}

// reach is how far from its truth a number may be that sums are in: its errors as a tolerance, by e(terms) of the error model.
__device__ double reach(Num a, double model) { return model > 0 && a.k > 0 ? (4 * a.e + model * a.k) / 16777216 : 0; }

// off is a number that may be off by so much, if its errors are not as large as that anyway.
__device__ Num off(Num y, double by, double model) {
    return num(y.v, y.e, by > 0 ? fmax(y.k, fmin(by * 16777216 / model, 3.4028234663852886e38)) : y.k);
}

// bent is smooth of a function f that rises throughout, or falls, but less in one place than in another: it may be off by as much
// as it changes until either end of what its argument may be. y is f of that.
template <class F>
__device__ Num bent(F f, double y, double own, Num a, double derivative, double model) {
    const Num near = smooth(y, own, a, derivative);
    const double r = reach(a, model);
    return r > 0 ? off(near, fmax(fabs(f(a.v - r) - y), fabs(f(a.v + r) - y)), model) : near;
}

// picked is a or b, of which one was greater or less. Where the errors of the other are such that rounding may pick that one, it
// has the larger errors of both: e(terms) roundings are less than 2^-10 of a sum of up to 2^24 terms.
__device__ Num picked(bool first, Num a, Num b) {
    const Num y = first ? a : b, other = first ? b : a;
    const bool near = fabs(a.v - b.v) <= 0.0009765625 * (other.e + other.k);
    return near ? Num{y.v, fmax(y.e, other.e), fmax(y.k, other.k)} : y;
}

// model_of is e(terms) of the error model.
__device__ double model_of(double terms) {
    return terms > 1 ? fmax(fmax(4 * sqrt(terms), fmin(terms, 2048.0)), fmax(fmin(terms, 65536.0) / 16, 64.0)) : 4;
}

// scale_of puts both errors into one: the error model multiplies sums' by e(terms), and roundings count 4 units.
__device__ float scale_of(Num a, double terms) {
    const double scale = fmax(a.k + a.e * 4 / model_of(terms), fabs(a.v));
    return float(a.v - a.v == 0 ? fmin(scale, 3.4028234663852886e38) : scale);  // a number's scale is a number
}

// value_of is what a number is in an output. What is just too large for a float may be the largest one, too, where rounding
// keeps it there; what is far too large is inf.
__device__ double value_of(Num a) {
    const double most = 3.4028234663852886e38, size = fabs(a.v);
    if (!(size > most) || size - size != 0) return a.v;
    return copysign(size < 1.1 * most ? most : double(__int_as_float(0x7f800000)), a.v);
}

// What sums become: a product of numbers with relative errors, a mean, and a mean of squared distances from the mean.
__device__ Num product(double v, double e, double k) { return num(v, times(fabs(v), e), fabs(v) + times(fabs(v), k)); }
__device__ Num mean_of(double v, double e, double k, double n) { return num(v / n, e / n + fabs(v / n), k / n); }
__device__ Num spread_of(double v, double e, double k, double n, double more = 1) {
    return num(v / n, (e + v) / n, more * (k + v) / n);
}



using Index = unsigned;
struct Sizes {
    int a0;
    int lengths[4];  // of the product: batches, rows, columns, terms
    __device__ Index kept() const { return Index(a0); }
    __device__ Index terms() const { return Index(1); }
    __device__ Num count() const { return exactly(double(1)); }
    __device__ double model() const {  // e(terms) of the error model
        const Sizes& n = *this;
        return model_of(double(n.lengths[3]));
    }
};
struct Inputs { const T* in0; const T* in1; };
struct Element {
    Num acc;
};
struct Row {
    Num unused;
};

__device__ long long kept_out0(const Sizes& n, Index i) { return (long long)(i); }
__device__ long long terms_out0(const Sizes& n, Index i) { return 0; }
__device__ Num number(double x) { return exactly(x); }
__device__ double as_float(T x) { return darwarp::to_float(x); }

// Alike counts numbers that equal the one before, and are no 0. Each sum of them is rounded to the same side, so that a thread
// that adds up all of them errs as many times more as there are, to 65,536: by up to a unit of the whole sum each.
struct Alike {
    double before, equal;
    __device__ void see(double v, double term) {
        equal += v == before && term != 0;
        before = v;
    }
    __device__ static double more(double equal, double terms) {
        return fmax(model_of(terms + equal), fmin(equal, 65536.0)) / model_of(terms);
    }
};
__device__ void gather(const Inputs& in, const Sizes& n, Index k, Index r, Element& e) {
}
__device__ void begin(const Inputs& in, const Sizes& n, Index k, Row& row) {
}

__device__ Num result0(const Element& e, const Row& row, const Sizes& n) {
    return e.acc;
}

constexpr int SIDE = 16;            // threads along either side
constexpr int PER_THREAD = 4;       // outputs a thread along either side
constexpr int TILE = SIDE * PER_THREAD;
constexpr int STEP = 16;            // terms of the sum per pass through shared memory

// load_tile copies TILE lines of STEP terms as float, with zeros outside the matrix.
__device__ void load_tile(const T* matrix, bool along, int lines, int terms, int line0, int k0, float (&tile)[STEP][TILE + 1]) {
    for (int i = threadIdx.x; i < TILE * STEP; i += SIDE * SIDE) {
        const int line = line0 + (along ? i / STEP : i % TILE), k = k0 + (along ? i % STEP : i / TILE);
        const long long at = along ? (long long)line * terms + k : (long long)k * lines + line;
        tile[k - k0][line - line0] = line < lines && k < terms ? darwarp::to_float(matrix[at]) : 0.f;
    }
}


extern "C" __global__ void __launch_bounds__(256)
reference(const T* in0, const T* in1, double* out0, float* out0_scale, int d0, int d1, int d2) {
    const Inputs in{in0, in1};
    const Sizes n{int((long long)d0 * (long long)d2), {int(1), int((long long)d0), int((long long)d2), int((long long)d1)}};
    const int rows = n.lengths[1], cols = n.lengths[2], terms = n.lengths[3], batch = blockIdx.z;
    const T* A = in0 + (long long)0 * rows * terms;
    const T* B = in1 + (long long)0 * cols * terms;
    __shared__ float a[STEP][TILE + 1], b[STEP][TILE + 1];  // + 1 spreads a column over the banks
    double sum[PER_THREAD][PER_THREAD] = {}, scale[PER_THREAD][PER_THREAD] = {};
    Alike alike[PER_THREAD][PER_THREAD] = {};
    const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE, y = threadIdx.x / SIDE, x = threadIdx.x % SIDE;
    for (int k0 = 0; k0 < terms; k0 += STEP) {
        load_tile(A, true, rows, terms, row0, k0, a);
        load_tile(B, true, cols, terms, col0, k0, b);
        __syncthreads();
        for (int s = 0; s < STEP; ++s)
            for (int i = 0; i < PER_THREAD; ++i)
                for (int j = 0; j < PER_THREAD; ++j) {
                    const double u = a[s][y + i * SIDE], v = b[s][x + j * SIDE];
                    sum[i][j] = fma(u, v, sum[i][j]);
                    scale[i][j] += fabs(u * v);
                    if (u * v != 0) alike[i][j].see(u * v, u * v);  // zeros between equal terms add nothing
                }
        __syncthreads();
    }
    const Row row = {};
    for (int i = 0; i < PER_THREAD; ++i)
        for (int j = 0; j < PER_THREAD; ++j) {
            const int r = row0 + y + i * SIDE, c = col0 + x + j * SIDE;
            if (r >= rows || c >= cols) continue;
            const Index k = (Index(batch) * rows + r) * cols + c;
            Element e;
            gather(in, n, k, 0, e);
            e.acc = num(sum[i][j], 0, scale[i][j] * Alike::more(alike[i][j].equal, double(n.lengths[3])));
            const Num y_out0 = result0(e, row, n);
            out0[k] = value_of(y_out0);
            out0_scale[k] = scale_of(y_out0, double(n.lengths[3]));
        }
}
