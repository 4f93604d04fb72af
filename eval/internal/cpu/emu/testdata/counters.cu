// Accesses whose cost is known.
#include <darwarp/darwarp.cuh>

extern "C" __global__ void sites(const int* in, int* out) {
    __shared__ __align__(128) int at[2048];
    const int t = threadIdx.x, lane = t % 32;
    int sum = 0;
    at[t] = t;             // no conflict
    __syncthreads();
    sum += at[lane * 2];   // two-way
    sum += at[lane * 32];  // 32-way
    sum += at[7];          // broadcast
    const uint4 w = *reinterpret_cast<const uint4*>(at + lane * 4);   // wide
    const uint4 r = *reinterpret_cast<const uint4*>(at + lane * 32);  // rows of 128 bytes
    sum += w.x + w.y + w.z + w.w + r.x + r.y + r.z + r.w;
    sum += in[t];          // coalesced
    sum += in[t * 8];      // strided
    const uint4 g = reinterpret_cast<const uint4*>(in)[t];            // sixteen bytes
    sum += g.x + g.y + g.z + g.w;
    for (int i = 0; i < 3; ++i)
        sum += in[t + i * 64];  // in a loop
    out[blockIdx.x * blockDim.x + t] = sum;
}
