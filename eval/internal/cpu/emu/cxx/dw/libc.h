// The part of the C library that device code has, declared here: the system's own headers are larger than all of
// ours together, and every compile loads them.
#ifndef DW_LIBC_H
#define DW_LIBC_H

#include <stddef.h>
#include <stdint.h>

#ifdef DW_HOST  // the runtime has the system's headers anyhow, and two of one function would not do
#include <math.h>
#include <string.h>
#else

extern "C" {
void* memcpy(void*, const void*, size_t) noexcept;
void* memmove(void*, const void*, size_t) noexcept;
void* memset(void*, int, size_t) noexcept;
int memcmp(const void*, const void*, size_t) noexcept;
}

#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))

namespace dw {

// Arguments that are neither all float nor all double are taken in double, as in C++.
template <class T> struct Number { static constexpr int floating = 0; };
template <> struct Number<float> { static constexpr int floating = 1; };
template <> struct Number<double> { static constexpr int floating = 2; };
#define DW_WHOLE(T) template <> struct Number<T> { static constexpr int floating = 3; };
DW_WHOLE(char) DW_WHOLE(signed char) DW_WHOLE(unsigned char) DW_WHOLE(short) DW_WHOLE(unsigned short) DW_WHOLE(int)
DW_WHOLE(unsigned) DW_WHOLE(long) DW_WHOLE(unsigned long) DW_WHOLE(long long) DW_WHOLE(unsigned long long)
#undef DW_WHOLE
template <bool> struct Double {};
template <> struct Double<true> { typedef double type; };
template <class A> using Promoted = typename Double<Number<A>::floating == 3>::type;
template <class A, class B>
using Mixed = typename Double<Number<A>::floating && Number<B>::floating &&
                              (Number<A>::floating == 3 || Number<A>::floating != Number<B>::floating)>::type;

}  // namespace dw

#define DW_OF_ONE(NAME)                                      \
    extern "C" double NAME(double) noexcept;                 \
    extern "C" float NAME##f(float) noexcept;                \
    inline float NAME(float x) { return NAME##f(x); }        \
    template <class A> inline dw::Promoted<A> NAME(A x) { return NAME(double(x)); }
DW_OF_ONE(acos) DW_OF_ONE(acosh) DW_OF_ONE(asin) DW_OF_ONE(asinh) DW_OF_ONE(atan) DW_OF_ONE(atanh) DW_OF_ONE(cbrt)
DW_OF_ONE(ceil) DW_OF_ONE(cos) DW_OF_ONE(cosh) DW_OF_ONE(erf) DW_OF_ONE(erfc) DW_OF_ONE(exp) DW_OF_ONE(exp2)
DW_OF_ONE(expm1) DW_OF_ONE(fabs) DW_OF_ONE(floor) DW_OF_ONE(lgamma) DW_OF_ONE(log) DW_OF_ONE(log10) DW_OF_ONE(log1p)
DW_OF_ONE(log2) DW_OF_ONE(logb) DW_OF_ONE(nearbyint) DW_OF_ONE(rint) DW_OF_ONE(round) DW_OF_ONE(sin) DW_OF_ONE(sinh)
DW_OF_ONE(sqrt) DW_OF_ONE(tan) DW_OF_ONE(tanh) DW_OF_ONE(tgamma) DW_OF_ONE(trunc)
#undef DW_OF_ONE

#define DW_OF_TWO(NAME)                                                 \
    extern "C" double NAME(double, double) noexcept;                    \
    extern "C" float NAME##f(float, float) noexcept;                    \
    inline float NAME(float x, float y) { return NAME##f(x, y); }       \
    template <class A, class B> inline dw::Mixed<A, B> NAME(A x, B y) { return NAME(double(x), double(y)); }
DW_OF_TWO(atan2) DW_OF_TWO(copysign) DW_OF_TWO(fdim) DW_OF_TWO(fmax) DW_OF_TWO(fmin) DW_OF_TWO(fmod) DW_OF_TWO(hypot)
DW_OF_TWO(nextafter) DW_OF_TWO(pow) DW_OF_TWO(remainder)
#undef DW_OF_TWO

#define DW_TO_WHOLE(R, NAME)                                 \
    extern "C" R NAME(double) noexcept;                      \
    extern "C" R NAME##f(float) noexcept;                    \
    inline R NAME(float x) { return NAME##f(x); }
DW_TO_WHOLE(int, ilogb) DW_TO_WHOLE(long, lrint) DW_TO_WHOLE(long, lround)
DW_TO_WHOLE(long long, llrint) DW_TO_WHOLE(long long, llround)
#undef DW_TO_WHOLE

#define DW_OTHERS(T, F)                                      \
    extern "C" T fma##F(T, T, T) noexcept;                   \
    extern "C" T frexp##F(T, int*) noexcept;                 \
    extern "C" T ldexp##F(T, int) noexcept;                  \
    extern "C" T scalbn##F(T, int) noexcept;                 \
    extern "C" T modf##F(T, T*) noexcept;                    \
    extern "C" T remquo##F(T, T, int*) noexcept;             \
    extern "C" void sincos##F(T, T*, T*) noexcept;           \
    inline bool isnan(T x) { return __builtin_isnan(x); }    \
    inline bool isinf(T x) { return __builtin_isinf(x); }    \
    inline bool isfinite(T x) { return __builtin_isfinite(x); } \
    inline bool signbit(T x) { return __builtin_signbit(x); }
DW_OTHERS(double, )
DW_OTHERS(float, f)
#undef DW_OTHERS
extern "C" double exp10(double) noexcept;
extern "C" float exp10f(float) noexcept;
inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
inline float frexp(float x, int* e) { return frexpf(x, e); }
inline float ldexp(float x, int e) { return ldexpf(x, e); }
inline float scalbn(float x, int e) { return scalbnf(x, e); }
template <class A> inline dw::Promoted<A> ldexp(A x, int e) { return ldexp(double(x), e); }
template <class A> inline dw::Promoted<A> scalbn(A x, int e) { return scalbn(double(x), e); }
inline int abs(int x) { return x < 0 ? -x : x; }
inline long abs(long x) { return x < 0 ? -x : x; }
inline long long abs(long long x) { return x < 0 ? -x : x; }
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }
inline float modf(float x, float* whole) { return modff(x, whole); }

#endif  // DW_HOST
#endif
