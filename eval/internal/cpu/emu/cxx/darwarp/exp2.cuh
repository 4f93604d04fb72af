// ex2.approx: as exact as the C library here, but for subnormal results, which are zero.
#ifndef DW_DARWARP_EXP2_CUH
#define DW_DARWARP_EXP2_CUH

#include "../dw/math.h"

namespace darwarp {

inline float exp2_approx(float x) { return x < -126.f ? 0.f : exp2f(x); }

// exp2_fma is the same arithmetic as on the device: a cubic for what is left of the nearest integer.
inline float exp2_fma(float x) {
    x = fmaxf(x, -126.f);
    const float shifted = x + 12582912.f;  // 1.5 * 2^23: the lowest bits are now the nearest integer
    const float f = x - (shifted - 12582912.f);
    const float p = fmaf(fmaf(fmaf(0.055171669f, f, 0.24261112f), f, 0.69326099f), f, 0.99992807f);
    return __int_as_float(__float_as_int(p) + int(unsigned(__float_as_int(shifted)) << 23));
}

}  // namespace darwarp

#endif
