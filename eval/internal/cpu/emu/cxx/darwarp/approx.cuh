// The special function unit's instructions, as exact as the C library: a kernel must be right with anything between.
#ifndef DW_DARWARP_APPROX_CUH
#define DW_DARWARP_APPROX_CUH

#include "../dw/math.h"

namespace darwarp {

constexpr float LOG2_E = 1.4426950408889634f;

// Results below the least normal number become 0, as on the device.
inline float exp2_approx(float x) {
    const float y = exp2f(x);
    return y < 0x1p-126f ? 0.f : y;
}

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
