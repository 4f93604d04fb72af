// Planted bugs, one a kernel. A comment "<- KERNEL" marks the lines of which the report must name one.
#include <darwarp/darwarp.cuh>

// The sum of 64 numbers by halving, with a barrier too few.
extern "C" __global__ void missing_barrier(const int* in, int* out) {
    __shared__ int sum[64];
    const int t = threadIdx.x;
    sum[t] = in[t];                                            // <- missing_barrier
    for (int d = 32; d > 0; d /= 2) {
        if (t < d) sum[t] += sum[t + d];                       // <- missing_barrier
        __syncthreads();
    }
    if (t == 0) *out = sum[0];
}

// The same within a warp: a GPU that runs warps in lockstep hides it.
extern "C" __global__ void lockstep(const int* in, int* out) {
    __shared__ int sum[64];
    const int t = threadIdx.x;
    sum[t] = in[t] + in[t + 32];                          // <- lockstep
    for (int d = 16; d > 0; d /= 2)
        if (t < d) sum[t] += sum[t + d];                       // <- lockstep
    if (t == 0) *out = sum[0];                                 // <- lockstep
}

// All lanes of a warp store its sum, and all threads a number that is the same for all: no bug.
extern "C" __global__ void same_number(const int* in, int* out) {
    __shared__ int part[2], count;
    int sum = in[threadIdx.x] + 1;
    for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    part[threadIdx.x / 32] = sum;
    count = 64;
    __syncthreads();
    out[threadIdx.x] = part[0] + part[1] - count;
}

// All lanes of a warp store their own number, of which one stays.
extern "C" __global__ void another_number(const int* in, int* out) {
    __shared__ int part[2];
    part[threadIdx.x / 32] = in[threadIdx.x] + threadIdx.x;    // <- another_number
    __syncthreads();
    out[threadIdx.x] = part[0] + part[1];
}

// The last write changes what is there, and nothing comes after it.
extern "C" __global__ void another_number_last(const int* in, int* out) {
    __shared__ volatile int part[2];
    out[threadIdx.x] = in[threadIdx.x];
    part[threadIdx.x / 32] = threadIdx.x;                      // <- another_number_last
}

// A number that is stored again while others read it, though it stays the same.
extern "C" __global__ void stored_while_read(const int* in, int* out) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 64;                          // <- stored_while_read
    __syncthreads();
    if (threadIdx.x < 32) count = 64;                          // <- stored_while_read
    else out[threadIdx.x] = count + in[threadIdx.x];           // <- stored_while_read
}

// Waits only where accesses are slow, as they are under a tool.
extern "C" __global__ void waits_if_slow(const int* in, int* out) {
    __shared__ int at[64];
    const long long begin = clock64();
    int v = threadIdx.x;
    for (int n = 0; n < 64; ++n) v = in[v & 63] & 63;
    const bool slow = __syncthreads_or(clock64() - begin > 500);
    at[threadIdx.x] = v;                                       // <- waits_if_slow
    if (slow) __syncthreads();
    out[threadIdx.x] = at[63 - threadIdx.x];                   // <- waits_if_slow
}

// A shuffle orders nothing in memory.
extern "C" __global__ void shuffle_is_no_barrier(const int* in, int* out) {
    __shared__ int at[32];
    at[threadIdx.x] = in[threadIdx.x];                         // <- shuffle_is_no_barrier
    const int v = __shfl_xor_sync(0xffffffffu, int(threadIdx.x), 1);
    out[threadIdx.x] = at[v];                                  // <- shuffle_is_no_barrier
}

// Read before everybody has left, then written again.
extern "C" __global__ void refill_too_early(const int* in, int* out) {
    __shared__ int at[64];
    int sum = 0;
    for (int round = 0; round < 4; ++round) {
        at[threadIdx.x] = in[threadIdx.x] + round;             // <- refill_too_early
        __syncthreads();
        sum += at[63 - threadIdx.x];                           // <- refill_too_early
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void missing_wait(const uint4* in, int* out) {
    __shared__ uint4 at[32];
    darwarp::cp_async16_or_zero(&at[threadIdx.x], &in[threadIdx.x], true);   // <- missing_wait
    darwarp::cp_async_commit();
    __syncthreads();
    out[threadIdx.x] = at[threadIdx.x].x;                      // <- missing_wait
}

extern "C" __global__ void missing_commit(const uint4* in, int* out) {
    __shared__ uint4 at[32];
    darwarp::cp_async16_or_zero(&at[threadIdx.x], &in[threadIdx.x], true);   // <- missing_commit
    darwarp::cp_async_wait<0>();
    __syncthreads();
    out[threadIdx.x] = at[31 - threadIdx.x].x;                 // <- missing_commit
}

// The copy is waited for by the thread that made it, but read by another one.
extern "C" __global__ void wait_without_barrier(const uint4* in, int* out) {
    __shared__ uint4 at[32];
    darwarp::cp_async16_or_zero(&at[threadIdx.x], &in[threadIdx.x], true);   // <- wait_without_barrier
    darwarp::cp_async_commit();
    darwarp::cp_async_wait<0>();                               // <- wait_without_barrier
    out[threadIdx.x] = at[31 - threadIdx.x].x;                 // <- wait_without_barrier
}

extern "C" __global__ void past_the_end(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = 1;                                    // <- past_the_end
}

extern "C" __global__ void before_the_start(const int* in, int* out) {
    out[threadIdx.x] = in[int(threadIdx.x) - 1];               // <- before_the_start
}

extern "C" __global__ void writes_an_input(int* in, int* out) {
    in[threadIdx.x] = out[threadIdx.x];                        // <- writes_an_input
}

extern "C" __global__ void past_shared(const int* in, int* out) {
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x + 1] = in[threadIdx.x];                // <- past_shared
}

extern "C" __global__ void uninitialised(const int* in, int* out) {
    __shared__ int at[64];
    if (threadIdx.x < 63) at[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = at[threadIdx.x];                        // <- uninitialised
}

extern "C" __global__ void divergent(const int* in, int* out) {
    if (threadIdx.x < 16) {
        out[0] = 1;
        __syncthreads();                                       // <- divergent
    } else {
        __syncthreads();                                       // <- divergent
        out[1] = 2;
    }
}

extern "C" __global__ void kinds(const int* in, int* out) {
    if (threadIdx.x == 5) __syncthreads();                     // <- kinds
    else out[threadIdx.x] = __syncthreads_or(1);               // <- kinds
}

// Lane 3 never comes to the shuffle that its warp waits for.
extern "C" __global__ void left_alone(const int* in, int* out) {
    if (threadIdx.x == 3) __syncthreads();                     // <- left_alone
    else out[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0);    // <- left_alone
}

extern "C" __global__ void wrong_mask(const int* in, int* out) {
    if (threadIdx.x < 16) out[threadIdx.x] = __ballot_sync(0xffffu, 1);   // <- wrong_mask
    else out[threadIdx.x] = __ballot_sync(0xffffu, 1);         // <- wrong_mask
}

extern "C" __global__ void misaligned(const int* in, int* out) {
    *reinterpret_cast<uint4*>(out + threadIdx.x) = make_uint4(1, 2, 3, 4);   // <- misaligned
}

extern "C" __global__ void trapped(const int* in, int* out) {
    assert(threadIdx.x < 40);                                  // <- trapped
}

// The wait stands in a loop that has no rounds here: the copy lands over what its place is used for next.
extern "C" __global__ void no_round_waits(const uint4* in, int* out, int n) {
    __shared__ uint4 at[32];
    const int t = threadIdx.x;
    darwarp::cp_async16_or_zero(&at[t], &in[t], true);         // <- no_round_waits
    darwarp::cp_async_commit();
    for (int i = 127; i < n; ++i) {
        darwarp::cp_async_wait<0>();
        __syncthreads();
    }
    __syncthreads();
    at[31 - t].x = t;                                          // <- no_round_waits
    __syncthreads();
    out[t] = at[t].x;
}

// The next copy is asked for before everybody has read what the last one brought. It need not land as late as it is awaited.
extern "C" __global__ void copied_too_early(const uint4* in, int* out) {
    __shared__ uint4 at[32];
    const int t = threadIdx.x;
    int sum = 0;
    darwarp::cp_async16_or_zero(&at[t], &in[t], true);
    darwarp::cp_async_commit();
    for (int round = 1; round < 4; ++round) {
        darwarp::cp_async_wait<0>();
        __syncthreads();
        darwarp::cp_async16_or_zero(&at[t], &in[(t + round) % 32], true);   // <- copied_too_early
        darwarp::cp_async_commit();
        sum += at[31 - t].x;                                   // <- copied_too_early
        __syncthreads();
    }
    darwarp::cp_async_wait<0>();
    out[t] = sum;
}
