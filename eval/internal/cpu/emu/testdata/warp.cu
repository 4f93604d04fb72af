// Barriers, warp-wide operations and atomics against what the CUDA C++ Programming Guide says of them. A
// failed check writes its line to failed[1 + n].
#include <darwarp/darwarp.cuh>

__device__ void note(int* failed, int line) {
    const int n = atomicAdd(failed, 1);
    if (n < 63) failed[1 + n] = line;
}
#define CHECK(condition) do { if (!(condition)) note(failed, __LINE__); } while (0)
constexpr unsigned ALL = 0xffffffffu;

// Blocks of 4 x 3 x 2 in a grid of 2 x 3 x 2.
extern "C" __global__ void places(int* failed, unsigned* seen) {
    CHECK(blockDim.x == 4 && blockDim.y == 3 && blockDim.z == 2 && gridDim.x == 2 && gridDim.y == 3 && gridDim.z == 2);
    CHECK(threadIdx.x < 4 && threadIdx.y < 3 && threadIdx.z < 2 && blockIdx.x < 2 && blockIdx.y < 3 && blockIdx.z < 2);
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    atomicAdd(&seen[block * 24 + thread], 1u);
    CHECK(warpSize == 32);
}

// 96 threads; sums over the block by way of shared memory, static and dynamic.
extern "C" __global__ void barriers(int* failed) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[96];
    const int t = threadIdx.x;
    CHECK(fixed[t] == -1 && dynamic[t] == -1);  // poison
    __syncthreads();
    fixed[t] = t;
    dynamic[95 - t] = t;
    __syncthreads();
    int sum = 0, other = 0;
    for (int i = 0; i < 96; ++i) sum += fixed[i], other += dynamic[i];
    CHECK(sum == 95 * 96 / 2 && other == sum);
    CHECK(__syncthreads_count(t % 3 == 0) == 32);
    CHECK(__syncthreads_and(t < 96) != 0);
    CHECK(__syncthreads_and(t != 17) == 0);
    CHECK(__syncthreads_or(t == 95) != 0);
    CHECK(__syncthreads_or(t == 96) == 0);
    if (t >= 40) return;  // those who have returned are not waited for, and do not vote
    CHECK(__syncthreads_count(1) == 40);
    CHECK(__syncthreads_and(1) != 0);
}

extern "C" __global__ void warps(int* failed) {
    const int lane = threadIdx.x % 32;
    CHECK(__shfl_sync(ALL, lane * 3, 5) == 15);
    CHECK(__shfl_sync(ALL, lane, 37) == 5);                 // the source is taken modulo the width
    CHECK(__shfl_sync(ALL, lane, 3, 8) == lane / 8 * 8 + 3);
    CHECK(__shfl_up_sync(ALL, lane, 2) == (lane < 2 ? lane : lane - 2));
    CHECK(__shfl_up_sync(ALL, lane, 3, 8) == (lane % 8 < 3 ? lane : lane - 3));
    CHECK(__shfl_down_sync(ALL, lane, 4) == (lane > 27 ? lane : lane + 4));
    CHECK(__shfl_down_sync(ALL, lane, 1, 4) == (lane % 4 == 3 ? lane : lane + 1));
    CHECK(__shfl_xor_sync(ALL, lane, 16) == (lane ^ 16));
    CHECK(__shfl_xor_sync(ALL, lane, 9, 8) == ((lane ^ 9) > (lane | 7) ? lane : (lane ^ 9)));
    CHECK(__shfl_sync(ALL, double(lane) / 8, 2) == 0.25);
    CHECK(__shfl_sync(ALL, (unsigned long long)lane << 40, 7) == 7ull << 40);
    CHECK(float(__shfl_sync(ALL, __float2half_rn(lane), 9)) == 9.f);
    const __half2 pair = __shfl_xor_sync(ALL, __floats2half2_rn(lane, -lane), 1);
    CHECK(__low2float(pair) == (lane ^ 1) && __high2float(pair) == -(lane ^ 1));

    CHECK(__ballot_sync(ALL, lane % 2) == 0xaaaaaaaau);
    CHECK(__any_sync(ALL, lane == 31) && !__any_sync(ALL, lane == 32));
    CHECK(__all_sync(ALL, lane < 32) && !__all_sync(ALL, lane < 31));
    CHECK(__match_any_sync(ALL, lane / 8) == 0xffu << lane / 8 * 8);
    int same = -1;
    CHECK(__match_all_sync(ALL, 5, &same) == ALL && same == 1);
    CHECK(__match_all_sync(ALL, lane, &same) == 0 && same == 0);
    CHECK(__reduce_add_sync(ALL, lane - 20) == 31 * 16 - 640);
    CHECK(__reduce_min_sync(ALL, lane - 20) == -20 && __reduce_max_sync(ALL, lane - 20) == 11);
    CHECK(__reduce_min_sync(ALL, unsigned(lane - 20)) == 0 && __reduce_max_sync(ALL, unsigned(lane - 20)) == ALL);
    CHECK(__reduce_and_sync(ALL, lane | 64u) == 64 && __reduce_or_sync(ALL, lane) == 31 && __reduce_xor_sync(ALL, 1u << lane) == ALL);

    // Half warps apart, each with its own operations in its own order.
    if (lane < 16) {
        CHECK(__shfl_sync(0xffffu, lane, 3) == 3);
        CHECK(__ballot_sync(0xffffu, 1) == 0xffffu);
    } else {
        CHECK(__ballot_sync(0xffff0000u, lane == 20) == 1u << 20);
        CHECK(__shfl_sync(0xffff0000u, lane, 30) == 30);
        __syncwarp(0xffff0000u);
    }
    const unsigned active = __activemask();
    CHECK(active >> lane & 1);
    CHECK(__ballot_sync(active, 1) == active);
    // A lane that has returned is not waited for.
    if (lane == 13) return;
    CHECK(__ballot_sync(ALL, 1) == (ALL & ~(1u << 13)));
    __syncwarp();
}

// 256 threads in each of 8 blocks, all at one word of each kind.
extern "C" __global__ void atomics(int* failed, unsigned* word, unsigned long long* wide, float* real, double* big) {
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    atomicAdd(&word[0], 1u);
    atomicSub((int*)&word[1], 1);
    atomicMin((int*)&word[2], int(id) - 7);
    atomicMax((int*)&word[3], int(id) - 7);
    atomicMin(&word[4], id + 3);
    atomicMax(&word[5], id + 3);
    atomicAnd(&word[6], ~(1u << id % 31));
    atomicOr(&word[7], 1u << id % 32);
    atomicXor(&word[8], id);
    CHECK(atomicInc(&word[9], 9) <= 9);
    CHECK(atomicDec(&word[10], 9) <= 9);
    for (unsigned old = word[11], seen; (seen = atomicCAS(&word[11], old, old + 2)) != old; old = seen) {}
    atomicExch(&word[12], id);
    atomicAdd(&wide[0], 1ull << 33);
    atomicMax(&wide[1], (unsigned long long)id << 32);
    atomicAdd(real, 0.5f);
    atomicAdd(big, 0.25);
    atomicAdd((__half2*)&word[13], __floats2half2_rn(1.f, id % 2 ? -1.f : 1.f));
    atomicAdd((__half*)&word[14], __float2half(id % 2 ? 1.f : -1.f));
    atomicAdd((__nv_bfloat162*)&word[15], __floats2bfloat162_rn(id % 2 ? 1.f : -1.f, 0.f));
    CHECK(n == 2048);
}

// A spin lock in shared memory: it ends because a thread that polls lets others run.
extern "C" __global__ void lock(int* failed) {
    __shared__ int taken, count;
    if (threadIdx.x == 0) taken = count = 0;
    __syncthreads();
    while (atomicCAS(&taken, 0, 1) != 0) {}
    ++count;
    __threadfence_block();
    atomicExch(&taken, 0);
    __syncthreads();
    CHECK(count == int(blockDim.x));
}

// The order in which threads of a block get their turn.
extern "C" __global__ void order(int* turn, int* blocks) {
    __shared__ int next;
    if (threadIdx.x == 0) next = 0;
    __syncthreads();
    turn[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(&next, 1);
    if (threadIdx.x == 0) blocks[1 + atomicAdd(blocks, 1)] = blockIdx.x;
}
