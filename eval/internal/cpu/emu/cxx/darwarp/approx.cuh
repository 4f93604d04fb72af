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

}  // namespace darwarp

#endif
