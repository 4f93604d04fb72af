// Kernels that do one thing many times, for the benchmarks.
#include <darwarp/darwarp.cuh>

extern "C" __global__ void barriers(int n) {
    for (int i = 0; i < n; ++i) __syncthreads();
}

extern "C" __global__ void shuffles(int n, int* out) {
    int v = threadIdx.x;
    for (int i = 0; i < n; ++i) v = __shfl_xor_sync(0xffffffffu, v, 1);
    out[threadIdx.x] = v;
}

// A warp of mma.sync needs 32 fibers to meet.
extern "C" __global__ void products(int n, float* out) {
    float d[4] = {};
    const unsigned a[4] = {threadIdx.x, 1, 2, 3}, b[2] = {threadIdx.x, 5};
    for (int i = 0; i < n; ++i) darwarp::mma_m16n8k16<__half>(d, a, b);
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

// Nothing to wait for: three instructions of the GPU a turn.
extern "C" __global__ void straight(int n, float* out) {
    float v = threadIdx.x;
    for (int i = 0; i < n; ++i) v = fmaf(v, 1.0001f, 0.5f);
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

// Threads that start and end.
extern "C" __global__ void nothing() {}
