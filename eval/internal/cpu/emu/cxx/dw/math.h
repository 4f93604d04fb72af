// Mathematical functions of the device that the C library lacks or names otherwise. The fast forms
// (__expf ...) are as exact as the C library here: a kernel must be right with anything between.
#ifndef DW_MATH_H
#define DW_MATH_H

#include "libc.h"

// min and max at global scope, with the mixed forms of CUDA's math_functions.hpp.
#define DW_MINMAX(R, A, B)                                                                     \
    constexpr inline __attribute__((always_inline)) R min(A a, B b) { return (R)a < (R)b ? (R)a : (R)b; } \
    constexpr inline __attribute__((always_inline)) R max(A a, B b) { return (R)a > (R)b ? (R)a : (R)b; }
DW_MINMAX(int, int, int)
DW_MINMAX(unsigned, unsigned, unsigned)
DW_MINMAX(unsigned, int, unsigned)
DW_MINMAX(unsigned, unsigned, int)
DW_MINMAX(long, long, long)
DW_MINMAX(unsigned long, unsigned long, unsigned long)
DW_MINMAX(unsigned long, long, unsigned long)
DW_MINMAX(unsigned long, unsigned long, long)
DW_MINMAX(long long, long long, long long)
DW_MINMAX(unsigned long long, unsigned long long, unsigned long long)
DW_MINMAX(unsigned long long, long long, unsigned long long)
DW_MINMAX(unsigned long long, unsigned long long, long long)
#undef DW_MINMAX
inline float min(float a, float b) { return fminf(a, b); }  // the number wins over a NaN
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }

inline float rsqrtf(float x) { return float(1.0 / sqrt(double(x))); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float rcbrtf(float x) { return 1.f / cbrtf(x); }
inline float fdividef(float a, float b) { return a / b; }
inline float sinpif(float x) { return float(sin(double(x) * 3.14159265358979323846)); }
inline float cospif(float x) { return float(cos(double(x) * 3.14159265358979323846)); }
inline float normcdff(float x) { return 0.5f * erfcf(-0.70710678118654752f * x); }
inline float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }

inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return float(pow(10.0, double(x))); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __tanhf(float x) { return tanhf(x); }
inline void __sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __saturatef(float x) { return x > 0.f ? (x < 1.f ? x : 1.f) : 0.f; }  // a NaN becomes 0

// Arithmetic with the rounding in its name: everything is compiled with -ffp-contract=off.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.f / a; }
inline float __fsqrt_rn(float a) { return sqrtf(a); }
inline float __frsqrt_rn(float a) { return rsqrtf(a); }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

namespace dw {
// to_integer rounds as asked and saturates; a NaN becomes 0 (as cvt does).
template <class I> inline I to_integer(double rounded) {
    const I least = I(I(1) << (sizeof(I) * 8 - 1)), lo = I(-1) < I(0) ? least : I(0), hi = I(-1) < I(0) ? I(~least) : I(-1);
    if (rounded != rounded) return 0;
    return rounded <= double(lo) ? lo : rounded >= double(hi) ? hi : I(rounded);
}
template <class To, class From> inline To as(From v) {
    static_assert(sizeof(To) == sizeof(From), "a reinterpretation keeps the size");
    To t;
    memcpy(&t, &v, sizeof t);
    return t;
}
}  // namespace dw

#define DW_TO_INTEGER(PREFIX, F, NAME, I)                                              \
    inline I PREFIX##2##NAME##_rn(F x) { return dw::to_integer<I>(nearbyint(double(x))); } \
    inline I PREFIX##2##NAME##_rz(F x) { return dw::to_integer<I>(trunc(double(x))); }  \
    inline I PREFIX##2##NAME##_ru(F x) { return dw::to_integer<I>(ceil(double(x))); }   \
    inline I PREFIX##2##NAME##_rd(F x) { return dw::to_integer<I>(floor(double(x))); }
DW_TO_INTEGER(__float, float, int, int)
DW_TO_INTEGER(__float, float, uint, unsigned)
DW_TO_INTEGER(__float, float, ll, long long)
DW_TO_INTEGER(__float, float, ull, unsigned long long)
DW_TO_INTEGER(__double, double, int, int)
DW_TO_INTEGER(__double, double, uint, unsigned)
DW_TO_INTEGER(__double, double, ll, long long)
DW_TO_INTEGER(__double, double, ull, unsigned long long)
#undef DW_TO_INTEGER
inline float __int2float_rn(int x) { return float(x); }
inline float __uint2float_rn(unsigned x) { return float(x); }
inline float __ll2float_rn(long long x) { return float(x); }
inline float __ull2float_rn(unsigned long long x) { return float(x); }
inline double __int2double_rn(int x) { return double(x); }
inline double __uint2double_rn(unsigned x) { return double(x); }
inline float __double2float_rn(double x) { return float(x); }

inline int __float_as_int(float x) { return dw::as<int>(x); }
inline unsigned __float_as_uint(float x) { return dw::as<unsigned>(x); }
inline float __int_as_float(int x) { return dw::as<float>(x); }
inline float __uint_as_float(unsigned x) { return dw::as<float>(x); }
inline long long __double_as_longlong(double x) { return dw::as<long long>(x); }
inline double __longlong_as_double(long long x) { return dw::as<double>(x); }
inline int __double2loint(double x) { return int(dw::as<long long>(x)); }
inline int __double2hiint(double x) { return int(dw::as<long long>(x) >> 32); }
inline double __hiloint2double(int high, int low) { return dw::as<double>((long long)high << 32 | unsigned(low)); }

// Integer intrinsics (CUDA Math API, "Integer Intrinsics").
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
inline unsigned long long __brevll(unsigned long long x) {
    return (unsigned long long)__brev(unsigned(x)) << 32 | __brev(unsigned(x >> 32));
}
inline int __mulhi(int a, int b) { return int((long long)a * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)a * b >> 64); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline int __mul24(int a, int b) { return int(unsigned((a << 8 >> 8)) * unsigned((b << 8 >> 8))); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
inline unsigned __sad(int a, int b, unsigned c) { return c + (a > b ? unsigned(a) - b : unsigned(b) - a); }
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
    const unsigned long long bytes = (unsigned long long)b << 32 | a;
    unsigned out = 0;
    for (int i = 0; i < 4; ++i) {
        const unsigned s = selector >> 4 * i & 15;
        unsigned char v = (unsigned char)(bytes >> 8 * (s & 7));
        if (s & 8) v = v & 0x80 ? 0xff : 0;  // the sign, spread over the byte
        out |= unsigned(v) << 8 * i;
    }
    return out;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) {
    return unsigned(((unsigned long long)hi << 32 | lo) << (s & 31) >> 32);
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) {
    return unsigned(((unsigned long long)hi << 32 | lo) >> (s & 31));
}
inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned s) { return s >= 32 ? lo : __funnelshift_l(lo, hi, s); }
inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned s) { return s >= 32 ? hi : __funnelshift_r(lo, hi, s); }
inline int __vimax3_s32_relu(int a, int b, int c) { return max(max(a, b), max(c, 0)); }
inline int __dp4a(int a, int b, int c) {
    unsigned sum = c;
    for (int i = 0; i < 32; i += 8) sum += unsigned(int((signed char)(a >> i)) * int((signed char)(b >> i)));
    return int(sum);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
    for (int i = 0; i < 32; i += 8) c += (a >> i & 255) * (b >> i & 255);
    return c;
}
inline int __hadd(int a, int b) { return int(((long long)a + b) >> 1); }
inline int __rhadd(int a, int b) { return int(((long long)a + b + 1) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return unsigned(((unsigned long long)a + b) >> 1); }
inline unsigned __urhadd(unsigned a, unsigned b) { return unsigned(((unsigned long long)a + b + 1) >> 1); }

#endif
