// Conversions between the 16-bit types and float, always round to nearest even.
#ifndef DW_DARWARP_CONVERT_CUH
#define DW_DARWARP_CONVERT_CUH

#include "../cuda_bf16.h"

namespace darwarp {

inline float to_float(float x) { return x; }
inline float to_float(__half x) { return float(x); }
inline float to_float(__nv_bfloat16 x) { return float(x); }

template <class T> inline T from_float(float x);
template <> inline float from_float<float>(float x) { return x; }
template <> inline __half from_float<__half>(float x) { return __half(x); }
template <> inline __nv_bfloat16 from_float<__nv_bfloat16>(float x) { return __nv_bfloat16(x); }

// `lo` goes to the lower address.
template <class T> inline unsigned pack2(float lo, float hi) { return T(lo).bits | unsigned(T(hi).bits) << 16; }
template <class T> inline float2 unpack2(unsigned bits) {
    return {float(T::of(uint16_t(bits))), float(T::of(uint16_t(bits >> 16)))};
}

inline float max_nan(float a, float b) { return a != a || a > b ? a : b; }
inline float min_nan(float a, float b) { return a != a || a < b ? a : b; }

// A tie is half of the lowest bit that is kept: adding it goes away from zero, as the sign is apart. Inf and NaN stay.
inline float to_tf32(float x) {
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7f800000u) == 0x7f800000u) return x;
    bits = (bits + 0x1000u) & ~0x1fffu;
    memcpy(&x, &bits, sizeof x);
    return x;
}

}  // namespace darwarp

#endif
