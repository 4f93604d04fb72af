// The truth, in fp64, with the error of each number beside it: linear, argmax
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


__device__ Num op_add(Num a, Num b) { const double y = a.v + b.v; return num(y, fabs(y) + a.e + b.e, a.k + b.k); }

using Index = unsigned;
struct Sizes {
    int a0, a1;
    int lengths[4];  // of the product: batches, rows, columns, terms
    __device__ Index kept() const { return Index(a0); }
    __device__ Index terms() const { return Index(a1); }
    __device__ Num count() const { return exactly(double(1) * double(a1)); }
    __device__ double model() const {  // e(terms) of the error model
        const Sizes& n = *this;
        return model_of(double(n.lengths[3] + (n.terms() + 31) / 32 + 8));
    }
};
struct Inputs { const T* in0; const T* in1; const T* in2; };
struct Element {
    Num l0;
    Num l1;
};
struct Row {
    Num s0_0;
    Num s0_1;
    Num unused;
};

__device__ long long kept_l0(const Sizes& n, Index i) { return (long long)(i) * n.a1; }
__device__ long long terms_l0(const Sizes& n, Index i) { return (long long)(i); }
__device__ long long kept_l1(const Sizes& n, Index i) { return 0; }
__device__ long long terms_l1(const Sizes& n, Index i) { return (long long)(i); }
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
// product_at is a number of the product of matrices.
__device__ Num product_at(const Inputs& in, const Sizes& n, long long at) {
    const long long rows = n.lengths[1], cols = n.lengths[2], terms = n.lengths[3], c = at % cols, r = at / cols % rows, batch = at / cols / rows;
    const T* A = in.in0 + (long long)0 * rows * terms;
    const T* B = in.in1 + (long long)0 * cols * terms;
    double sum = 0, size = 0;
    Alike alike{0, 0};
    for (long long t = 0; t < terms; ++t) {
        const double u = darwarp::to_float(A[r * terms + t]);
        const double v = darwarp::to_float(B[c * terms + t]);
        sum = fma(u, v, sum), size += fabs(u * v);
        if (u * v != 0) alike.see(u * v, u * v);  // zeros between equal terms add nothing
    }
    return num(sum, 0, size * Alike::more(alike.equal, double(terms)));
}

__device__ void gather(const Inputs& in, const Sizes& n, Index k, Index r, Element& e) {
    e.l0 = product_at(in, n, kept_l0(n, k) + terms_l0(n, r));
    e.l1 = number(as_float(in.in2[kept_l1(n, k) + terms_l1(n, r)]));
}
__device__ void begin(const Inputs& in, const Sizes& n, Index k, Row& row) {
}

__device__ Num term0(const Element& e, const Row& row, const Sizes& n) {
    const Num v0 = op_add(e.l0, e.l1);
    return v0;
}

__device__ Num result0(const Element& e, const Row& row, const Sizes& n) {
    return row.s0_1;
}

__device__ void finish1(Row& row, const Sizes& n) {
}


// Share is a block's part of a row.
struct Share {
    double* slots;  // one for each thread
    Index k;
    __device__ Share(double* slots, Index) : slots(slots), k(blockIdx.x) {}
    __device__ Index first(Index) const { return threadIdx.x; }
    __device__ Index step() const { return blockDim.x; }
    __device__ bool over() { return false; }
    __device__ void end() {}
};

// block_all merges the values of a block's threads: a pair, each with an operation of its own.
template <class Op>
__device__ double block_all(double v, double* slots, Op op) {
    slots[threadIdx.x] = v;
    __syncthreads();
    for (int n = blockDim.x / 2; n > 0; n /= 2) {
        if (threadIdx.x < n) slots[threadIdx.x] = op(slots[threadIdx.x], slots[threadIdx.x + n]);
        __syncthreads();
    }
    v = slots[0];
    __syncthreads();
    return v;
}
// all does so with those of all blocks of a row.
template <class Op>
__device__ double all(double v, Share& share, double none, Op op) {
    return block_all(v, share.slots, op);
}
__device__ double infinity() { return double(__int_as_float(0x7f800000)); }
__device__ double plus(double v, Share& share) { return all(v, share, 0, [](double a, double b) { return a + b; }); }
__device__ double most(double v, Share& share) { return all(v, share, -infinity(), [](double a, double b) { return a != a || a > b ? a : b; }); }
__device__ double below(double v, Share& share) { return all(v, share, infinity(), [](double a, double b) { return a != a || a < b ? a : b; }); }

// rivals is 1 for a number that may well be the most of its row, by what the row's numbers err, or that is as infinite in fp32 as
// that is, or as near 0: e(terms) roundings of both are less than 2^-10 of their errors. Where there are several, no place is
// wrong, and NaN says so.
__device__ double rivals(double v, Num most) {
    const bool beyond = fabs(v) >= 1e38 && fabs(most.v) >= 1e38 && (v > 0) == (most.v > 0);
    return most.e + most.k > 0 && (beyond || fabs(v - most.v) <= 0.0009765625 * (most.e + most.k) + 1e-36) ? 1 : 0;
}
__device__ double no_place() { return double(__int_as_float(0x7fc00000)); }

extern "C" __global__ void __launch_bounds__(64)
reference(const T* in0, const T* in1, const T* in2, double* out0, float* out0_scale, int d0, int d1, int d2) {
    const Inputs in{in0, in1, in2};
    const Sizes n{int((long long)d0), int((long long)d2), {int(1), int((long long)d0), int((long long)d2), int((long long)d1)}};
    __shared__ double slots[64];
    const Index terms = n.terms();
    Share share(slots, n.kept());
    const Index k = share.k;
    Row row;
    begin(in, n, k, row);
    Element e;
    {
        double a = -double(__int_as_float(0x7f800000)), b = 0, c = 0;
        for (Index r = share.first(terms); r < terms; r += share.step()) {
            gather(in, n, k, r, e);
            const Num t = term0(e, row, n);
            a = t.v != t.v || t.v > a ? t.v : a, b = fmax(b, t.e), c = fmax(c, t.k);
        }
        row.s0_0 = num(most(a, share), most(b, share), most(c, share));
        if (share.over()) return;
        const double first = row.s0_0.v;
        double d = double(__int_as_float(0x7f800000)), f = 0, g = 0;
        for (Index r = share.first(terms); r < terms; r += share.step()) {
            gather(in, n, k, r, e);
            const Num t = term0(e, row, n);
            if ((t.v == first || t.v != t.v) && !(d <= double(r))) d = double(r); f += rivals(t.v, row.s0_0);
        }
        row.s0_1 = plus(f, share) > 1 ? exactly(no_place()) : exactly(below(d, share));
        if (share.over()) return;
    }
    finish1(row, n);
    if (share.first(terms) == 0) {
        const Num y = result0(e, row, n);
        out0[k] = value_of(y);
        out0_scale[k] = scale_of(y, double(n.lengths[3] + (n.terms() + 31) / 32 + 8));
    }
    share.end();
}
