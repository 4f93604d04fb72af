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
