// Single instructions of the special function unit.
#pragma once

namespace darwarp {

constexpr float LOG2_E = 1.4426950408889634f;

// exp2_approx is 2^x within 2 units in the last place; results below the least normal number become 0.
__device__ __forceinline__ float exp2_approx(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
    return y;
}

}  // namespace darwarp
