// ex2.approx: as exact as the C library here, but for subnormal results, which are zero.
#ifndef DW_DARWARP_EXP2_CUH
#define DW_DARWARP_EXP2_CUH

#include "../dw/math.h"

namespace darwarp {

inline float exp2_approx(float x) { return x < -126.f ? 0.f : exp2f(x); }

}  // namespace darwarp

#endif
