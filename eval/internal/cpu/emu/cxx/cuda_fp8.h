// The two floating-point types of 8 bits under the names of CUDA's cuda_fp8.h: codes, conversions of one and of two.
#ifndef DW_CUDA_FP8_H
#define DW_CUDA_FP8_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

// Halves by their bits.
struct __half_raw {
    unsigned short x;
    operator __half() const { return __half::of(x); }
};
struct __half2_raw {
    unsigned short x, y;
    operator __half2() const { return {__half::of(x), __half::of(y)}; }
};

namespace dw {

// Float8 is a format: bits of mantissa, least normal exponent, the codes of the largest number and of what is beyond it,
// which is infinity, or NaN where there is none.
struct E4M3 {
    enum { MANTISSA = 3, EMIN = -6, LAST = 0x7e, BEYOND = 0x7f };
    static float widen(uint8_t b) { return (b & 0x7f) == 0x7f ? NAN : Half::widen(uint16_t((b & 0x80) << 8 | (b & 0x7f) << 7)) * 256; }
};
struct E5M2 {
    enum { MANTISSA = 2, EMIN = -14, LAST = 0x7b, BEYOND = 0x7c };
    static float widen(uint8_t b) { return Half::widen(uint16_t(b << 8)); }
};

// narrow8 rounds to nearest, ties to even; with saturation no number becomes infinity or NaN, and infinity a number.
template <class F>
inline uint8_t narrow8(double x, bool saturate) {
    const int sign = signbit(x) ? 0x80 : 0, beyond = sign | (saturate ? F::LAST : F::BEYOND);
    if (x != x) return 0x7f;
    if (fabs(x) > 1e6) return uint8_t(beyond);
    int e;
    (void)frexp(x, &e);
    e = e - 1 < F::EMIN || x == 0 ? int(F::EMIN) : e - 1;
    // The leading one of a normal number carries into the exponent.
    const int code = ((e - F::EMIN) << F::MANTISSA) + int(nearbyint(ldexp(fabs(x), F::MANTISSA - e)));
    return uint8_t(code > F::LAST ? beyond : sign | code);
}

template <class F>
struct Float8 {
    __nv_fp8_storage_t __x;

    Float8() = default;
    explicit Float8(double x) : __x(narrow8<F>(x, true)) {}
    explicit Float8(float x) : __x(narrow8<F>(x, true)) {}
    explicit Float8(int x) : __x(narrow8<F>(x, true)) {}
    explicit Float8(__half x) : __x(narrow8<F>(float(x), true)) {}
    explicit Float8(__nv_bfloat16 x) : __x(narrow8<F>(float(x), true)) {}
    explicit operator float() const { return F::widen(__x); }
    explicit operator double() const { return F::widen(__x); }
    explicit operator __half() const { return __half(F::widen(__x)); }
    explicit operator __nv_bfloat16() const { return __nv_bfloat16(F::widen(__x)); }
};

}  // namespace dw

using __nv_fp8_e4m3 = dw::Float8<dw::E4M3>;
using __nv_fp8_e5m2 = dw::Float8<dw::E5M2>;

inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(double x, __nv_saturation_t s, __nv_fp8_interpretation_t as) {
    return as == __NV_E4M3 ? dw::narrow8<dw::E4M3>(x, s == __NV_SATFINITE) : dw::narrow8<dw::E5M2>(x, s == __NV_SATFINITE);
}
inline __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t s, __nv_fp8_interpretation_t as) {
    return __nv_cvt_double_to_fp8(x, s, as);
}
inline __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 x, __nv_saturation_t s, __nv_fp8_interpretation_t as) {
    return __nv_fp8x2_storage_t(__nv_cvt_double_to_fp8(x.y, s, as) << 8 | __nv_cvt_double_to_fp8(x.x, s, as));
}
inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t as) {
    return {__half(as == __NV_E4M3 ? dw::E4M3::widen(x) : dw::E5M2::widen(x)).bits};
}
inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t as) {
    return {__nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t(x), as).x, __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t(x >> 8), as).x};
}

#endif
