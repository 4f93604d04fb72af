// The 16-bit floating-point types: storage, conversions and operators of both, told apart by a format.
// Conversions round to nearest, ties to even. Arithmetic is correctly rounded, as the device's is:
// it is done in a format wide enough that rounding twice gives what rounding once would (p >= 2q + 2
// bits: Figueroa, "When is double rounding innocuous?", 1995).
#ifndef DW_SMALL_FLOAT_H
#define DW_SMALL_FLOAT_H

#include "math.h"

namespace dw {

#if defined(__F16C__)
// The processor's conversions, eight, four or one at a time.
typedef float Floats8 __attribute__((vector_size(32)));
typedef float Floats4 __attribute__((vector_size(16)));
typedef short Shorts8 __attribute__((vector_size(16)));
#if defined(__clang__)
typedef __fp16 Halves8 __attribute__((vector_size(16)));
typedef __fp16 Halves4 __attribute__((vector_size(8)));
inline Floats8 widen8(Shorts8 v) { return __builtin_convertvector(Halves8(v), Floats8); }
inline Floats4 widen4(Shorts8 v) {
    return __builtin_convertvector(__builtin_shufflevector(Halves8(v), Halves8(v), 0, 1, 2, 3), Floats4);
}
inline uint16_t narrow1(float x) {
    const __fp16 v = __fp16(x);  // a type that no function may take or give
    uint16_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
#else  // by the names of the compiler, whose <immintrin.h> would double what every compile loads
inline Floats8 widen8(Shorts8 v) { return __builtin_ia32_vcvtph2ps256(v); }
inline Floats4 widen4(Shorts8 v) { return __builtin_ia32_vcvtph2ps(v); }
inline uint16_t narrow1(float x) { return uint16_t(__builtin_ia32_vcvtps2ph(Floats4{x, 0, 0, 0}, 0)[0]); }
#endif
#endif

enum Rounding { NEAREST, TO_ZERO, UP, DOWN };

// round_bits rounds a double to MANTISSA stored bits and least normal exponent EMIN.
template <int MANTISSA, int EMIN>
inline uint16_t round_bits(double x, Rounding mode = NEAREST) {
    constexpr uint64_t INF = (uint64_t(1 - 2 * EMIN) + 2) << MANTISSA;
    const uint64_t b = as<uint64_t>(x), fraction = b & ((1ull << 52) - 1);
    const uint16_t sign = uint16_t(b >> 63 << 15);
    const int biased = int(b >> 52 & 2047), exponent = biased - 1023;
    if (biased == 2047) return fraction ? 0x7fff : uint16_t(sign | INF);
    if (x == 0) return sign;
    const bool away = mode == UP ? !sign : mode == DOWN && sign;  // away from zero
    const uint64_t m = fraction | (biased ? 1ull << 52 : 0);
    const int extra = exponent < EMIN ? EMIN - exponent : 0, drop = 52 - MANTISSA + extra;
    if (drop > 60) return uint16_t(sign | (away ? 1 : 0));  // far below the least subnormal
    uint64_t q = m >> drop;
    const uint64_t rest = m & ((1ull << drop) - 1), half = 1ull << (drop - 1);
    if (mode == NEAREST ? rest > half || (rest == half && (q & 1)) : away && rest) ++q;
    const uint64_t r = extra ? q : (uint64_t(exponent - EMIN) << MANTISSA) + q;  // a carry moves into the exponent
    if (r < INF) return uint16_t(sign | r);
    return uint16_t(sign | (mode == NEAREST || away ? INF : INF - 1));
}

// Half is IEEE binary16.
struct Half {
    static constexpr float LARGEST = 65504.f;
    static uint16_t round(double x, Rounding mode = NEAREST) { return round_bits<10, -14>(x, mode); }
#if defined(__F16C__)
    static uint16_t round(float x) { return narrow1(x); }
    static float widen(uint16_t b) { return widen4(Shorts8{short(b), 0, 0, 0, 0, 0, 0, 0})[0]; }
#elif defined(__aarch64__)
    static uint16_t round(float x) {
        const __fp16 v = __fp16(x);
        uint16_t b;
        memcpy(&b, &v, sizeof b);
        return b;
    }
    static float widen(uint16_t b) {
        __fp16 v;
        memcpy(&v, &b, sizeof v);
        return float(v);
    }
#else
    static uint16_t round(float x) { return round(double(x)); }
    static float widen(uint16_t b) {
        const uint32_t sign = uint32_t(b >> 15) << 31, e = b >> 10 & 31, m = b & 1023;
        if (e == 31) return as<float>(sign | 0x7f800000u | m << 13);
        if (e == 0) return as<float>(sign | as<uint32_t>(float(m) * 0x1p-24f));
        return as<float>(sign | (e + 112) << 23 | m << 13);
    }
#endif
    static uint16_t multiply(float a, float b) { return round(a * b); }
    static uint16_t divide(float a, float b) { return round(a / b); }
    // The product is exact in a double, and no sum lies so near a tie that 53 bits would not show it.
    static double multiply_add(double a, double b, double c) { return a * b + c; }
};

// Brain is bfloat16: the upper half of a float.
struct Brain {
    static constexpr float LARGEST = 0x1.fep127f;
    static uint16_t round(double x, Rounding mode = NEAREST) { return round_bits<7, -126>(x, mode); }
    static uint16_t round(float x) {
        const uint32_t b = as<uint32_t>(x);
        if (x != x) return 0x7fff;
        return uint16_t((b + 0x7fff + (b >> 16 & 1)) >> 16);
    }
    static float widen(uint16_t b) { return as<float>(uint32_t(b) << 16); }
    // A product or quotient may fall below the least normal float, where a float rounds too early.
    static uint16_t multiply(float a, float b) { return round(double(a) * b); }
    static uint16_t divide(float a, float b) { return round(double(a) / b); }
    // A product of 16 bits may be a tie, and the addend hundreds of binary places below: the sum is rounded
    // to odd, which keeps the tie from looking exact (Boldo and Melquiond, "Emulation of FMA ...", 2008).
    static double multiply_add(double a, double b, double c) {
        const double p = a * b, s = p + c, back = s - p, lost = (p - (s - back)) + (c - back);
        if (!(lost != 0) || !(fabs(s) <= 1e300)) return s;
        const uint64_t bits = as<uint64_t>(s);
        if (bits & 1) return s;
        return as<double>((lost > 0) == (s > 0) ? bits + 1 : bits - 1);
    }
};

template <class F>
struct Small {
    uint16_t bits;

    Small() = default;
    Small(float x) : bits(F::round(x)) {}
    Small(double x) : bits(F::round(x)) {}
    Small(int x) : bits(F::round(double(x))) {}
    Small(unsigned x) : bits(F::round(double(x))) {}
    Small(short x) : bits(F::round(float(x))) {}
    Small(unsigned short x) : bits(F::round(float(x))) {}
    operator float() const { return F::widen(bits); }

    static Small of(uint16_t bits) {
        Small s;
        s.bits = bits;
        return s;
    }
    friend Small operator+(const Small& a, const Small& b) { return Small(float(a) + float(b)); }
    friend Small operator-(const Small& a, const Small& b) { return Small(float(a) - float(b)); }
    friend Small operator*(const Small& a, const Small& b) { return of(F::multiply(a, b)); }
    friend Small operator/(const Small& a, const Small& b) { return of(F::divide(a, b)); }
    friend Small& operator+=(Small& a, const Small& b) { return a = a + b; }
    friend Small& operator-=(Small& a, const Small& b) { return a = a - b; }
    friend Small& operator*=(Small& a, const Small& b) { return a = a * b; }
    friend Small& operator/=(Small& a, const Small& b) { return a = a / b; }
    friend Small operator-(const Small& a) { return of(a.bits ^ 0x8000); }
    friend Small operator+(const Small& a) { return a; }
    friend bool operator==(const Small& a, const Small& b) { return float(a) == float(b); }
    friend bool operator!=(const Small& a, const Small& b) { return float(a) != float(b); }
    friend bool operator<(const Small& a, const Small& b) { return float(a) < float(b); }
    friend bool operator<=(const Small& a, const Small& b) { return float(a) <= float(b); }
    friend bool operator>(const Small& a, const Small& b) { return float(a) > float(b); }
    friend bool operator>=(const Small& a, const Small& b) { return float(a) >= float(b); }
};

template <class F>
struct alignas(4) Pair {
    Small<F> x, y;

    Pair() = default;
    Pair(const Small<F>& x, const Small<F>& y) : x(x), y(y) {}
    friend Pair operator+(const Pair& a, const Pair& b) { return {a.x + b.x, a.y + b.y}; }
    friend Pair operator-(const Pair& a, const Pair& b) { return {a.x - b.x, a.y - b.y}; }
    friend Pair operator*(const Pair& a, const Pair& b) { return {a.x * b.x, a.y * b.y}; }
    friend Pair operator/(const Pair& a, const Pair& b) { return {a.x / b.x, a.y / b.y}; }
    friend Pair& operator+=(Pair& a, const Pair& b) { return a = a + b; }
    friend Pair& operator-=(Pair& a, const Pair& b) { return a = a - b; }
    friend Pair& operator*=(Pair& a, const Pair& b) { return a = a * b; }
    friend Pair operator-(const Pair& a) { return {-a.x, -a.y}; }
    friend bool operator==(const Pair& a, const Pair& b) { return a.x == b.x && a.y == b.y; }
    friend bool operator!=(const Pair& a, const Pair& b) { return !(a == b); }
};

}  // namespace dw

#endif
