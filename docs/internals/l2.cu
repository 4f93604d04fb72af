// What L2 keeps and what it costs: the figures of docs/internals/timing.md and docs/results/memory-bound.md about evict_last.
//   nvcc -O3 -arch=sm_90a -o l2 docs/internals/l2.cu -lcuda && ./l2
//   ncu --clock-control none --cache-control none --metrics gpu__time_duration.sum,dram__bytes_read.sum,dram__bytes_write.sum ./l2 once
#include <cuda.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                             \
    do {                                                                        \
        cudaError_t e = (call);                                                 \
        if (e) printf("line %d: %s\n", __LINE__, cudaGetErrorString(e)), exit(1); \
    } while (0)

enum Hint { NORMAL, STREAMING, EVICT_LAST };

template <Hint H>
__device__ __forceinline__ uint4 load(const uint4* p) {
    if constexpr (H == NORMAL) return *p;
    if constexpr (H == STREAMING) return __ldcs(p);
    unsigned long long policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    uint4 v;
    asm volatile("ld.global.L1::evict_last.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p), "l"(policy));
    return v;
}

template <Hint H>
__device__ __forceinline__ void store(uint4* p, uint4 v) {
    if constexpr (H == STREAMING) __stcs(p, v);
    else *p = v;
}

template <Hint H>
__global__ void read(const uint4* x, uint4* out, size_t n) {
    uint4 all = {};
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += gridDim.x * size_t(blockDim.x)) {
        const uint4 v = load<H>(x + i);
        all.x ^= v.x, all.y ^= v.y, all.z ^= v.z, all.w ^= v.w;
    }
    if (all.x == 12345) *out = all;
}

// scale_rows is an RMS norm without weights: 512 threads have a row of 8192 halves, two words each.
template <Hint LOAD, Hint STORE>
__global__ void __launch_bounds__(512, 4) scale_rows(const uint4* x, uint4* y) {
    const size_t at = blockIdx.x * size_t(1024) + threadIdx.x;
    uint4 words[2] = {load<LOAD>(x + at), load<LOAD>(x + at + 512)};
    __half2* pairs = reinterpret_cast<__half2*>(words);
    float sum = 0.f;
    for (int i = 0; i < 8; ++i) {
        const float2 f = __half22float2(pairs[i]);
        sum = fmaf(f.x, f.x, fmaf(f.y, f.y, sum));
    }
    __shared__ float parts[16];
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = parts[threadIdx.x % 16];
    for (int d = 8; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    const float scale = rsqrtf(sum / 8192 + 1e-6f);
    for (int i = 0; i < 8; ++i) {
        const float2 f = __half22float2(pairs[i]);
        pairs[i] = __floats2half2_rn(f.x * scale, f.y * scale);
    }
    store<STORE>(y + at, words[0]), store<STORE>(y + at + 512, words[1]);
}

cudaStream_t stream;
cudaEvent_t start, stop;

template <class F>
float us(F f) {
    CHECK(cudaEventRecord(start, stream));
    f();
    CHECK(cudaEventRecord(stop, stream));
    CHECK(cudaStreamSynchronize(stream));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    return ms * 1e3f;
}

float median(std::vector<float> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

// flushed times a read of what was read with a hint before 120 MiB were written, with or without a reset in between.
template <Hint H>
float flushed(size_t mib, bool reset, uint4* x, uint4* y) {
    std::vector<float> times;
    for (int r = 0; r < 9; ++r) {
        CHECK(cudaMemsetAsync(y, r, 256 << 20, stream));
        for (int i = 0; i < 5; ++i) read<H><<<528, 512, 0, stream>>>(x, y, (mib << 20) / 16);
        CHECK(cudaStreamSynchronize(stream));
        if (reset) cuCtxResetPersistingL2Cache();
        CHECK(cudaMemsetAsync(y, r, 120 << 20, stream));
        times.push_back(us([&] { read<NORMAL><<<528, 512, 0, stream>>>(x, y, (mib << 20) / 16); }));
    }
    return median(times);
}

template <Hint LOAD, Hint STORE>
void rows(const char* name, const uint4* x, uint4* y) {
    std::vector<float> times;
    for (int r = 0; r < 12; ++r) {
        cuCtxResetPersistingL2Cache();
        times.push_back(us([&] {
                            for (int i = 0; i < 20; ++i) scale_rows<LOAD, STORE><<<16384, 512, 0, stream>>>(x, y);
                        }) / 20);
    }
    printf("16384 rows of 8192, %s: %.1f us\n", name, median(times));
}

int main(int argc, char**) {
    uint4 *x, *y;
    CHECK(cudaMalloc(&x, 256 << 20));
    CHECK(cudaMalloc(&y, 256 << 20));
    CHECK(cudaMemset(x, 0x3c, 256 << 20));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    if (argc == 1)
        for (size_t mib : {8, 20, 30})
            printf("%zu MiB after a flush: read normally %.2f us, evict_last %.2f us, evict_last and reset %.2f us\n", mib,
                   flushed<NORMAL>(mib, false, x, y), flushed<EVICT_LAST>(mib, false, x, y), flushed<EVICT_LAST>(mib, true, x, y));
    rows<NORMAL, NORMAL>("loads and stores as usual", x, y);
    rows<STREAMING, STREAMING>("both evicted first", x, y);
    rows<EVICT_LAST, NORMAL>("loads evicted last", x, y);
    rows<EVICT_LAST, STREAMING>("loads evicted last, stores first", x, y);
}
