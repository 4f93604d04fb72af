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

// exp2_fma is the same arithmetic as on the device: a cubic for what is left of the integer below.
inline float exp2_fma(float x) {
    x = fmaxf(x, -127.f);
    const float below = floorf(x), f = x - below;
    const float p = fmaf(fmaf(fmaf(0.07706704f, f, 0.227645f), f, 0.69511676f), f, 1.f);
    return __int_as_float(__float_as_int(p) + int(unsigned(int(below)) << 23));
}

inline float exp2_fma_fine(float x) {
    x = fmaxf(x, -127.f);
    const float below = floorf(x), f = x - below;
    const float p = fmaf(fmaf(fmaf(fmaf(0.013426684f, f, 0.05224247f), f, 0.2412802f), f, 0.69304484f), f, 1.f);
    return __int_as_float(__float_as_int(p) + int(unsigned(int(below)) << 23));
}

}  // namespace darwarp

#endif
