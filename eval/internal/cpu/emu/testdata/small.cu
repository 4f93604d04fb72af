// The 16-bit types against exact arithmetic: a result r of exact value x is right if x lies between the middles
// of r and its neighbours, and on a middle only where r is even.
#include <darwarp/darwarp.cuh>
#include <darwarp/bits.cuh>

__device__ void note(int* failed, int line) {
    const int n = atomicAdd(failed, 1);
    if (n < 63) failed[1 + n] = line;
}
#define CHECK(condition) do { if (!(condition)) note(failed, __LINE__); } while (0)

template <class T> struct Format;
template <> struct Format<__half> { static constexpr int MANTISSA = 10, LEAST = -14; };
template <> struct Format<__nv_bfloat16> { static constexpr int MANTISSA = 7, LEAST = -126; };

template <class T> __device__ constexpr unsigned infinity() { return 0x7fff >> Format<T>::MANTISSA << Format<T>::MANTISSA; }

// The value of bits, by the definition. What is infinite counts as the next number after the largest.
template <class T> __device__ double value(unsigned bits) {
    const int e = (bits & 0x7fff) >> Format<T>::MANTISSA, m = bits & ((1 << Format<T>::MANTISSA) - 1);
    const double v = e == 0 ? ldexp(m, Format<T>::LEAST - Format<T>::MANTISSA)
                            : ldexp(m + (1 << Format<T>::MANTISSA), e - 1 + Format<T>::LEAST - Format<T>::MANTISSA);
    return bits & 0x8000 ? -v : v;
}
template <class T> __device__ bool finite_bits(unsigned bits) { return (bits & 0x7fff) < infinity<T>(); }
template <class T> __device__ T from_bits(unsigned bits) { const unsigned short b = bits; return *reinterpret_cast<const T*>(&b); }
template <class T> __device__ unsigned to_bits(T v) { return *reinterpret_cast<const unsigned short*>(&v); }

// side is the sign of p + c - mid, exactly: mid is taken from the larger first, where little or nothing is lost.
__device__ int side(double p, double c, double mid) {
    const double big = fabs(p) > fabs(c) ? p : c, small = fabs(p) > fabs(c) ? c : p, d = (big - mid) + small;
    return d > 0 ? 1 : d < 0 ? -1 : 0;
}

// nearest judges bits as the rounded value of p + c, or of p / b where b is not 0.
template <class T> __device__ bool nearest(unsigned bits, double p, double c, double b = 0) {
    const unsigned magnitude = bits & 0x7fff, sign = bits & 0x8000;
    const double s = sign ? -1 : 1;
    auto beyond = [&](double mid) {  // 1: the exact value is farther from zero than mid
        if (b != 0) { const double q = mid * fabs(b), v = b < 0 ? -p : p; return v * s > q * s ? 1 : v * s < q * s ? -1 : 0; }
        return int(s) * side(p, c, mid);
    };
    if (magnitude > infinity<T>()) return false;
    const int even = magnitude % 2 == 0;
    if (magnitude < infinity<T>()) {
        const int d = beyond((value<T>(bits) + value<T>(bits + 1)) / 2);
        if (d > 0 || (d == 0 && !even)) return false;
    }
    if (magnitude == 0) return true;
    const int d = beyond((value<T>(bits) + value<T>(bits - 1)) / 2);
    return d > 0 || (d == 0 && even);
}

// All values, all middles and their neighbours: every place where rounding changes its mind.
template <class T> __device__ void conversions(int* failed, unsigned i) {
    if (!finite_bits<T>(i)) {
        const float v = float(from_bits<T>(i));
        CHECK((i & 0x7fff) == infinity<T>() ? isinf(v) && (v < 0) == (i >> 15) && to_bits(T(v)) == i : isnan(v) && isnan(float(T(v))));
        return;
    }
    const double v = value<T>(i), next = value<T>(i + 1), middle = (v + next) / 2, away = i & 0x8000 ? -INFINITY : INFINITY;
    const unsigned even = i % 2 ? i + 1 : i;
    CHECK(double(float(from_bits<T>(i))) == v);
    CHECK(to_bits(T(float(v))) == i && to_bits(T(v)) == i);
    CHECK(to_bits(T(float(middle))) == even && to_bits(T(middle)) == even);
    CHECK(to_bits(T(nextafterf(float(middle), float(away)))) == i + 1 && to_bits(T(nextafter(middle, away))) == i + 1);
    CHECK(to_bits(T(nextafterf(float(middle), 0.f))) == i && to_bits(T(nextafter(middle, 0.))) == i);
}

template <class T> __device__ void arithmetic(int* failed, unsigned i, unsigned turns) {
    const T a = from_bits<T>(i);
    const double x = value<T>(i);
    unsigned long long state = i * 0x9e3779b97f4a7c15ull + 1;
    for (unsigned turn = 0; turn < turns; ++turn) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        const unsigned special[] = {0, 0x8000, 1, 0x8001, infinity<T>() - 1, 1u << Format<T>::MANTISSA};
        const unsigned j = turn < 6 ? special[turn] : unsigned(state >> 48), k = unsigned(state >> 32) & 0xffff;
        if (!finite_bits<T>(i) || !finite_bits<T>(j) || !finite_bits<T>(k)) continue;
        const T b = from_bits<T>(j), c = from_bits<T>(k);
        const double y = value<T>(j), z = value<T>(k);
        CHECK(nearest<T>(to_bits(__hadd(a, b)), x, y));
        CHECK(nearest<T>(to_bits(__hsub(a, b)), x, -y));
        CHECK(nearest<T>(to_bits(__hmul(a, b)), x * y, 0));
        CHECK(nearest<T>(to_bits(__hfma(a, b, c)), x * y, z));
        // A tie of the product with a last word far below it.
        const T tiny = from_bits<T>(1 | (k & 0x8000));
        CHECK(nearest<T>(to_bits(__hfma(a, b, tiny)), x * y, value<T>(to_bits(tiny))));
        if (y != 0) CHECK(nearest<T>(to_bits(__hdiv(a, b)), x, 0, y));
        CHECK(__hlt(a, b) == (x < y) && __hge(a, b) == (x >= y) && __heq(a, b) == (x == y) && __hne(a, b) == (x != y));
        CHECK(float(__hmax(a, b)) == fmax(x, y) && float(__hmin(a, b)) == fmin(x, y));
    }
}

extern "C" __global__ void all_values(int* failed, int turns) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    conversions<__half>(failed, i);
    conversions<__nv_bfloat16>(failed, i);
    arithmetic<__half>(failed, i, turns);
    arithmetic<__nv_bfloat16>(failed, i, turns);
}

// The shared names of the two types, by example. One thread.
template <class T, class T2> __device__ void examples(int* failed, T2 (*two)(float, float)) {
    const T nan = from_bits<T>(0x7fff), zero = from_bits<T>(0), minus = from_bits<T>(0x8000), one = T(1.f);
    CHECK(to_bits(__hmax(minus, zero)) == 0 && to_bits(__hmin(zero, minus)) == 0x8000);
    CHECK(float(__hmax(nan, one)) == 1.f && float(__hmin(one, nan)) == 1.f);
    CHECK(__hisnan(__hmax_nan(nan, one)) && __hisnan(__hmin_nan(one, nan)) && __hisnan(__hmax(nan, nan)));
    CHECK(!__heq(nan, nan) && __hequ(nan, nan) && !__hne(nan, one) && __hneu(nan, one) && !__hlt(nan, one) && __hltu(nan, one));
    CHECK(__hisinf(from_bits<T>(infinity<T>())) == 1 && __hisinf(from_bits<T>(infinity<T>() | 0x8000)) == -1 && !__hisinf(one));
    CHECK(float(__hadd_sat(one, one)) == 1.f && float(__hsub_sat(zero, one)) == 0.f && float(__hfma_sat(nan, one, one)) == 0.f);
    CHECK(float(__hfma_relu(one, T(-2.f), one)) == 0.f && float(__hfma_relu(one, T(2.f), one)) == 3.f && __hisnan(__hfma_relu(nan, one, one)));
    CHECK(float(__hneg(one)) == -1.f && float(__habs(T(-2.f))) == 2.f && to_bits(-zero) == 0x8000);
    const T2 v = two(1.f, -2.f), w = two(3.f, -2.f);
    auto both = [&](T2 got, float x, float y) { return float(got.x) == x && float(got.y) == y; };
    CHECK(both(__hadd2(v, w), 4, -4) && both(__hsub2(v, w), -2, 0) && both(__hmul2(v, w), 3, 4) && both(__h2div(w, v), 3, 1));
    CHECK(both(__hfma2(v, w, v), 4, 2) && both(__hneg2(v), -1, 2) && both(__habs2(v), 1, 2) && both(__hmax2(v, w), 3, -2));
    CHECK(both(__hlt2(v, w), 1, 0) && both(__hle2(v, w), 1, 1) && !__hblt2(v, w) && __hble2(v, w) && __hlt2_mask(v, w) == 0xffffu && __hge2_mask(v, w) == 0xffff0000u);
    CHECK(both(v + w, 4, -4) && both(v * w, 3, 4) && (v == v) && (v != w));
    CHECK(float(hexp(zero)) == 1.f && float(hlog2(T(8.f))) == 3.f && float(hsqrt(T(9.f))) == 3.f && float(hrcp(T(4.f))) == 0.25f && float(hrsqrt(T(16.f))) == 0.25f);
    CHECK(float(hceil(T(1.25f))) == 2.f && float(hfloor(T(-1.25f))) == -2.f && float(htrunc(T(-1.75f))) == -1.f && float(hrint(T(2.5f))) == 2.f);
    CHECK(both(h2exp2(two(3.f, -1.f)), 8, 0.5f) && float(htanh(zero)) == 0.f);
    T sum = one;
    sum += T(2.f), sum *= T(3.f), sum -= one, sum /= T(2.f);
    CHECK(float(sum) == 4.f && T(3) < T(4.f) && T(2.0) == T(2u));
}

// Forms that the compiler may not fuse, and those that end in a clamp.
template <class T, class T2>
__device__ void clamped(int* failed) {
    const T one = T(1.f), two = T(2.f), minus = T(-2.f), half = T(0.5f);
    CHECK(float(__hadd_rn(one, two)) == 3.f && float(__hsub_rn(one, two)) == -1.f && float(__hmul_rn(two, half)) == 1.f);
    CHECK(float(__hadd_sat(one, two)) == 1.f && float(__hsub_sat(one, two)) == 0.f && float(__hmul_sat(half, half)) == 0.25f && float(__hmul_sat(two, two)) == 1.f);
    CHECK(float(__hfma_sat(two, two, one)) == 1.f && float(__hfma_sat(minus, two, one)) == 0.f && float(__hfma_relu(minus, two, one)) == 0.f && float(__hfma_relu(two, two, one)) == 5.f);
    T2 a, b, c;
    a.x = minus, a.y = two, b.x = two, b.y = two, c.x = one, c.y = one;
    const T2 r = __hfma2_relu(a, b, c), s = __hfma2_sat(a, b, c);
    CHECK(float(r.x) == 0.f && float(r.y) == 5.f && float(s.x) == 0.f && float(s.y) == 1.f);
}

extern "C" __global__ void names(int* failed) {
    clamped<__half, __half2>(failed);
    clamped<__nv_bfloat16, __nv_bfloat162>(failed);
    examples<__half, __half2>(failed, __floats2half2_rn);
    examples<__nv_bfloat16, __nv_bfloat162>(failed, __floats2bfloat162_rn);
    const __half2 v = __floats2half2_rn(1.f, 2.f);
    CHECK(__low2float(v) == 1.f && __high2float(v) == 2.f && __half2float(__low2half(v)) == 1.f && __half2float(__high2half(v)) == 2.f);
    CHECK(__low2float(__lowhigh2highlow(v)) == 2.f && __high2float(__lows2half2(v, v)) == 1.f && __low2float(__highs2half2(v, v)) == 2.f);
    CHECK(__high2float(__half2half2(__float2half(3.f))) == 3.f && __half22float2(__halves2half2(__float2half(4.f), __float2half(5.f))).y == 5.f);
    CHECK(__half_as_ushort(__float2half_rn(1.f)) == 0x3c00 && __half2float(__ushort_as_half(0xc000)) == -2.f);
    CHECK(__bfloat16_as_ushort(__float2bfloat16_rn(1.f)) == 0x3f80 && __bfloat1622float2(__float22bfloat162_rn(make_float2(1.f, -3.f))).y == -3.f);
    // 1 + 2^-12 lies between 1 and 1 + 2^-10.
    const float x = 1.f + 0x1p-12f;
    CHECK(to_bits(__float2half_rz(x)) == 0x3c00 && to_bits(__float2half_rd(x)) == 0x3c00 && to_bits(__float2half_ru(x)) == 0x3c01 && to_bits(__float2half_rn(x)) == 0x3c00);
    CHECK(to_bits(__float2half_rz(-x)) == 0xbc00 && to_bits(__float2half_rd(-x)) == 0xbc01 && to_bits(__float2half_ru(-x)) == 0xbc00);
    CHECK(to_bits(__float2half_rz(1e6f)) == 0x7bff && to_bits(__float2half_ru(1e6f)) == 0x7c00 && to_bits(__float2half_rn(65519.f)) == 0x7bff && to_bits(__float2half_rn(65520.f)) == 0x7c00);
    CHECK(to_bits(__float2half_ru(1e-30f)) == 1 && to_bits(__float2half_rn(1e-30f)) == 0);
    CHECK(to_bits(__float2bfloat16_rz(1.f + 0x1p-8f + 0x1p-12f)) == 0x3f80 && to_bits(__float2bfloat16_rn(1.f + 0x1p-8f + 0x1p-12f)) == 0x3f81);
    CHECK(__half2int_rn(__float2half(2.5f)) == 2 && __half2int_rz(__float2half(-2.5f)) == -2 && __half2int_rd(__float2half(-2.5f)) == -3 && __half2int_ru(__float2half(2.25f)) == 3);
    CHECK(__half2float(__int2half_rn(2049)) == 2048.f && __bfloat162int_rz(__float2bfloat16(7.5f)) == 7 && __half2uint_rz(__float2half(-3.f)) == 0);
}

extern "C" __global__ void intrinsics(int* failed) {
    CHECK(min(3, -2) == -2 && max(3u, 7u) == 7u && min(2, 3u) == 2u && max(-1, 5u) == 0xffffffffu && min(2.f, 3.f) == 2.f && max(1ll << 40, 3ll) == 1ll << 40);
    CHECK(min(NAN, 2.f) == 2.f && max(2.0, double(NAN)) == 2.0);
    CHECK(__popc(0xf0f0u) == 8 && __popcll(~0ull) == 64 && __clz(1) == 31 && __clz(0) == 32 && __clzll(1ll << 40) == 23 && __ffs(0) == 0 && __ffs(8) == 4 && __ffsll(1ll << 50) == 51);
    CHECK(__brev(1u) == 1u << 31 && __brev(0x12345678u) == 0x1e6a2c48u && __brevll(1ull) == 1ull << 63);
    CHECK(__mulhi(-1, 1) == -1 && __umulhi(~0u, 2u) == 1u && __mul64hi(1ll << 62, 8) == 2 && __umul64hi(~0ull, 2ull) == 1ull);
    CHECK(__mul24(3, -5) == -15 && __umul24(0x1000002u, 3u) == 6u && __sad(3, 10, 1u) == 8u && __usad(10u, 3u, 1u) == 8u);
    CHECK(darwarp::and_or(0x12345678u, 0x0f0f0f0fu, 0xf0000000u) == 0xf2040608u);
    CHECK(darwarp::chosen(0xf0f0f0f0u, 0x12345678u, 0x9abcdef0u) == 0x1a3c5e70u && darwarp::multiplied_right<8>(0x89abcdefu) == 0x0089abcdu);
    CHECK(__byte_perm(0x33221100u, 0x77665544u, 0x3210u) == 0x33221100u && __byte_perm(0x33221100u, 0x77665544u, 0x7531u) == 0x77553311u);
    CHECK(__byte_perm(0x00008000u, 0, 0x9999u) == 0xffffffffu && __byte_perm(0x00007f00u, 0, 0x9999u) == 0u);
    CHECK(__vimax3_s32_relu(-3, 7, 5) == 7 && __vimax3_s32_relu(9, -7, 5) == 9 && __vimax3_s32_relu(-3, -7, -5) == 0 && __vimax3_s32_relu(1, 2, 3) == 3);
    CHECK(__funnelshift_l(0x80000000u, 1u, 1) == 3u && __funnelshift_r(2u, 1u, 1) == 0x80000001u && __funnelshift_lc(5u, 9u, 40) == 5u && __funnelshift_rc(5u, 9u, 40) == 9u);
    CHECK(__dp4a(0x01020304, 0x01010101, 5) == 15 && __dp4a(-1, 0x01010101, 0) == -4 && __dp4a(0xffffffffu, 0x01010101u, 0u) == 1020u);
    CHECK(__hadd(3, 4) == 3 && __rhadd(3, 4) == 4 && __uhadd(~0u, 1u) == 1u << 31);
    CHECK(__float2int_rn(2.5f) == 2 && __float2int_rn(3.5f) == 4 && __float2int_rz(-2.9f) == -2 && __float2int_ru(2.1f) == 3 && __float2int_rd(-2.1f) == -3);
    CHECK(__float2int_rz(1e20f) == 2147483647 && __float2int_rz(-1e20f) == -2147483647 - 1 && __float2int_rz(NAN) == 0 && __float2uint_rz(-5.f) == 0u && __float2uint_rz(1e20f) == ~0u);
    CHECK(__float2ll_rn(1e20f) == 9223372036854775807ll && __double2ull_rz(1e30) == ~0ull && __double2int_rn(-0.5) == 0);
    CHECK(__float_as_int(1.f) == 0x3f800000 && __int_as_float(0x40000000) == 2.f && __double_as_longlong(1.0) == 0x3ff0000000000000ll);
    CHECK(__double2hiint(-1.5) == int(0xbff80000) && __double2loint(1 + 0x1p-52) == 1 && __hiloint2double(-1074790400, -1) < -1);
    CHECK(__saturatef(2.f) == 1.f && __saturatef(-1.f) == 0.f && __saturatef(NAN) == 0.f && __saturatef(0.5f) == 0.5f);
    CHECK(__fmaf_rn(0x1.000002p0f, 0x1.000002p0f, -0x1.000004p0f) == 0x1p-46f && __fadd_rn(__fmul_rn(0x1.000002p0f, 0x1.000002p0f), -0x1.000004p0f) == 0.f);
    CHECK(rsqrtf(4.f) == 0.5f && rsqrt(16.0) == 0.25 && __frcp_rn(4.f) == 0.25f && __fdividef(1.f, 4.f) == 0.25f && __expf(0.f) == 1.f && exp10f(2.f) == 100.f);
    float s, c;
    sincosf(0.f, &s, &c);
    CHECK(s == 0.f && c == 1.f);
    int at[2] = {4, 5};
    CHECK(__ldg(at + 1) == 5 && __ldcg(at) == 4);
    __stcs(at, 9);
    CHECK(at[0] == 9 && clock64() > 0);
    CHECK(__ldca(at) == 9 && __ldcs(at) == 9 && __ldlu(at + 1) == 5 && __ldcv(at + 1) == 5);
    __stwb(at, 1), __stcg(at + 1, 2);
    CHECK(at[0] == 1 && at[1] == 2);
    __stwt(at, 3);
    CHECK(at[0] == 3);
    // Where the hardware is quick and inexact, so much is asked: an error of 2^-20 of results near one.
    auto near = [](float got, double want) { return fabs(got - want) <= 0x1p-20 * fmax(1.0, fabs(want)); };
    CHECK(near(__exp10f(1.5f), 31.622776601683793) && near(__logf(3.f), 1.0986122886681098) && near(__log2f(10.f), 3.321928094887362) && near(__log10f(50.f), 1.6989700043360187));
    CHECK(near(__powf(1.5f, 2.5f), 2.7556759606310752) && near(__sinf(1.f), 0.8414709848078965) && near(__cosf(1.f), 0.5403023058681398) && near(__tanf(1.f), 1.5574077246549023));
    CHECK(near(__tanhf(0.5f), 0.46211715726000973));
    __sincosf(1.f, &s, &c);
    CHECK(near(s, 0.8414709848078965) && near(c, 0.5403023058681398));
    CHECK(__fsub_rn(1.f, 0x1p-30f) == 1.f && __fdiv_rn(1.f, 3.f) == 0x1.555556p-2f && __fsqrt_rn(2.f) == 0x1.6a09e6p+0f && __frsqrt_rn(4.f) == 0.5f);
    CHECK(__dadd_rn(1.0, 0x1p-60) == 1.0 && __dsub_rn(3.0, 1.0) == 2.0 && __dmul_rn(3.0, 0.5) == 1.5 && __ddiv_rn(1.0, 4.0) == 0.25);
    CHECK(__fma_rn(1.0 + 0x1p-52, 1.0 + 0x1p-52, -(1.0 + 0x1p-51)) == 0x1p-104);
    CHECK(__int2float_rn((1 << 24) + 1) == 16777216.f && __uint2float_rn(~0u) == 4294967296.f && __ll2float_rn(-3) == -3.f && __ull2float_rn(~0ull) == 18446744073709551616.f);
    CHECK(__int2double_rn(-7) == -7.0 && __uint2double_rn(~0u) == 4294967295.0 && __double2float_rn(1.0 + 0x1p-30) == 1.f);
    CHECK(__float_as_uint(-0.f) == 1u << 31 && __uint_as_float(0x3f800000u) == 1.f && __longlong_as_double(0x4000000000000000ll) == 2.0);
    extern __shared__ char dynamic[];
    CHECK(__cvta_generic_to_shared(dynamic + 12) - __cvta_generic_to_shared(dynamic) == 12);
    CHECK(__urhadd(4u, 5u) == 5u && __urhadd(~0u, ~0u) == ~0u);
    __threadfence(), __threadfence_block(), __threadfence_system(), __nanosleep(1);
    CHECK(sizeof(uint4) == 16 && alignof(uint4) == 16 && alignof(float2) == 8 && sizeof(float3) == 12 && alignof(__half2) == 4 && sizeof(dim3) == 12);
}
