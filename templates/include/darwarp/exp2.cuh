// ex2.approx: 2^x as the special function unit gives it, off by two units in the last place; subnormal results are zero.
#pragma once

namespace darwarp {

__device__ __forceinline__ float exp2_approx(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
    return y;
}

}  // namespace darwarp
