// Functions of epilogues: what becomes of a sum on its way out. A problem's [epilogue] is computed from the same text by the
// reference, on Scaled numbers, and by candidates, on floats. NaN and Inf come through as IEEE 754 says.
#pragma once

#include <darwarp/approx.cuh>

namespace darwarp {

// Scaled is a number of the truth with its scale, the sum of the magnitudes of the terms that it is made of: how much
// rounding is natural. A function passes on the scale times the steepest that it is.
struct Scaled {
    double value, scale;

    __device__ explicit Scaled(double v) : value(v), scale(fabs(v)) {}
    __device__ Scaled(double v, double s) : value(v), scale(s) {}
};

__device__ inline Scaled operator+(const Scaled& a, const Scaled& b) { return {a.value + b.value, a.scale + b.scale}; }
__device__ inline Scaled operator-(const Scaled& a, const Scaled& b) { return {a.value - b.value, a.scale + b.scale}; }
__device__ inline Scaled operator*(const Scaled& a, const Scaled& b) {
    return {a.value * b.value, a.scale * fabs(b.value) + fabs(a.value) * b.scale};
}
__device__ inline Scaled operator/(const Scaled& a, const Scaled& b) {
    const double q = a.value / b.value;
    return {q, (a.scale + fabs(q) * b.scale) / fabs(b.value)};
}

namespace exact {

__device__ inline Scaled gelu(const Scaled& x) {
    return {0.5 * x.value * (1.0 + erf(x.value * 0.70710678118654752)), 1.13 * x.scale};
}
__device__ inline Scaled relu(const Scaled& x) { return {x.value < 0 ? 0.0 : x.value, x.scale}; }
__device__ inline Scaled sigmoid(const Scaled& x) { return {1.0 / (1.0 + exp(-x.value)), 0.25 * x.scale}; }
__device__ inline Scaled silu(const Scaled& x) { return {x.value / (1.0 + exp(-x.value)), 1.1 * x.scale}; }
__device__ inline Scaled tanh(const Scaled& x) { return {::tanh(x.value), x.scale}; }

__device__ __forceinline__ float gelu(float x) { return 0.5f * x * (1.f + erff(x * 0.70710678f)); }
__device__ __forceinline__ float relu(float x) { return x < 0.f ? 0.f : x; }
__device__ __forceinline__ float sigmoid(float x) { return 1.f / (1.f + expf(-x)); }
__device__ __forceinline__ float silu(float x) { return x / (1.f + expf(-x)); }
__device__ __forceinline__ float tanh(float x) { return tanhf(x); }

}  // namespace exact

// The same with instructions of the special function unit.
namespace fast {

// gelu takes 1 + erf from one side alone, as the complement at |x|: Abramowitz and Stegun 7.1.26 errs by at most 1.5e-7.
__device__ __forceinline__ float gelu(float x) {
    const float z = fabsf(x) * 0.70710678f, s = __fdividef(1.f, fmaf(0.3275911f, z, 1.f));
    const float p = s * fmaf(s, fmaf(s, fmaf(s, fmaf(s, 1.061405429f, -1.453152027f), 1.421413741f), -0.284496736f), 0.254829592f);
    const float rest = p * exp2_approx(-z * z * LOG2_E);
    return 0.5f * x * (x < 0.f ? rest : 2.f - rest);
}
__device__ __forceinline__ float relu(float x) { return exact::relu(x); }
__device__ __forceinline__ float sigmoid(float x) { return __fdividef(1.f, 1.f + exp2_approx(-x * LOG2_E)); }
// A negative number of which the exponential overflows gives -0, and only -inf NaN.
__device__ __forceinline__ float silu(float x) { return x * sigmoid(x); }
__device__ __forceinline__ float tanh(float x) {
    const float e = exp2_approx(-2.f * LOG2_E * fabsf(x)), t = __fdividef(1.f - e, 1.f + e);
    return copysignf(t, x);
}

}  // namespace fast

}  // namespace darwarp
