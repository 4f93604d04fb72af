// Approximations: single instructions of the special function unit, and what takes its place.
#pragma once

namespace darwarp {

constexpr float LOG2_E = 1.4426950408889634f;

// exp2_approx is 2^x within 2 units in the last place; results below the least normal number become 0.
__device__ __forceinline__ float exp2_approx(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
    return y;
}

// exp2_fma is 2^x on the FMA units, which are idle while the special function unit is not (Zadouri et al.,
// FlashAttention-4): the integer part goes to the exponent, and the rest, in [0, 1), through a cubic that is off by at
// most 8.6e-5 of the result, a sixth of a roundoff of fp16. x is at most 127. The cubic is 1 at 0, so that the result is 0
// from -127 on, as it has to be: a masked key has the weight 2^-inf, and with a least one its value would be seen.
__device__ __forceinline__ float exp2_fma(float x) {
    x = fmaxf(x, -127.f);
    const float shifted = __fadd_rd(x, 12582912.f);  // 1.5 * 2^23: the lowest bits are now the integer below
    const float f = x - (shifted - 12582912.f);
    const float p = fmaf(fmaf(fmaf(0.07706704f, f, 0.227645f), f, 0.69511676f), f, 1.f);
    return __int_as_float(__float_as_int(p) + (__float_as_int(shifted) << 23));
}

// exp2_fma_fine has a quartic, off by at most 3e-6 of the result: for sums whose logarithm is an output in fp32.
__device__ __forceinline__ float exp2_fma_fine(float x) {
    x = fmaxf(x, -127.f);
    const float shifted = __fadd_rd(x, 12582912.f);
    const float f = x - (shifted - 12582912.f);
    const float p = fmaf(fmaf(fmaf(fmaf(0.013426684f, f, 0.05224247f), f, 0.2412802f), f, 0.69304484f), f, 1.f);
    return __int_as_float(__float_as_int(p) + (__float_as_int(shifted) << 23));
}

}  // namespace darwarp
