// harness.cuh's comparison of outputs of e4m3, without a GPU: for each truth and error on standard input, one line of a 1 for each of
// the 256 codes that it takes for right, and a 0 for the others.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

using std::isfinite, std::isinf, std::signbit;
static const dim3 threadIdx(0), blockIdx(0), blockDim(1), gridDim(1);
static void atomicAdd(unsigned long long* sum, unsigned long long x) { *sum += x; }
static void atomicMax(int* most, int x) { *most = x > *most ? x : *most; }
static int __float_as_int(float x) {
    int bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

#include "include/harness.cuh"

int main() {
    double want;
    for (float scale; std::scanf("%lf %f", &want, &scale) == 2; std::puts(""))
        for (int code = 0; code < 256; ++code) {
            __nv_fp8_e4m3 got;
            got.__x = static_cast<unsigned char>(code);
            unsigned long long wrong = 0;
            float worst = 0;
            darwarp_bench::compare(&got, &want, &scale, 1, 0, darwarp_bench::Tolerance{0x1p-10, 1, 0x1p-126, INFINITY}, &wrong, &worst);
            std::putchar((worst > 1) == (wrong > 0) || code % 128 == 127 ? (wrong ? '0' : '1') : '?');
        }
}
