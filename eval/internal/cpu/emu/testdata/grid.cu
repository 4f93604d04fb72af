// Blocks that meet in global memory, one kernel a way: 8 blocks of 64 threads, every buffer zeros but `in`. A comment
// "<- KERNEL" marks the lines of which a report must name one; kernels without one are right.
#include <darwarp/darwarp.cuh>

#define KERNEL(NAME) extern "C" __global__ void NAME(const int* in, int* out, int* part, unsigned* state)

__device__ int number() { return blockIdx.x * blockDim.x + threadIdx.x; }

// last tells all threads of the block that draws the last ticket so.
__device__ bool last(unsigned* ticket) {
    __shared__ unsigned came;
    if (threadIdx.x == 0) came = atomicAdd(ticket, 1u);
    __syncthreads();
    return came + 1 == gridDim.x;
}

// turn gives the blocks numbers in the order in which they begin.
__device__ int turn(unsigned* counter) {
    __shared__ int mine;
    if (threadIdx.x == 0) mine = int(atomicAdd(counter, 1u));
    __syncthreads();
    return mine;
}

// ---- Races.

KERNEL(ticket_without_fence) {
    if (threadIdx.x == 0) part[blockIdx.x] = in[number()];                          // <- ticket_without_fence
    if (last(state) && threadIdx.x < 8) out[threadIdx.x] = ((volatile int*)part)[threadIdx.x];   // <- ticket_without_fence
}

// The fence comes when the others may have been told already.
KERNEL(fence_after_ticket) {
    part[number()] = in[number()];                                                  // <- fence_after_ticket
    const bool adds = last(state);
    __threadfence();
    if (!adds) return;
    for (int b = 0; b < 8; ++b) out[threadIdx.x] += part[b * 64 + threadIdx.x];      // <- fence_after_ticket
}

KERNEL(fence_before_store) {
    __threadfence();
    part[number()] = in[number()];                                                  // <- fence_before_store
    if (!last(state)) return;
    for (int b = 0; b < 8; ++b) out[threadIdx.x] += part[b * 64 + threadIdx.x];      // <- fence_before_store
}

// One thread's fence says nothing of what others wrote that it has not met.
KERNEL(fence_of_another) {
    part[number()] = in[number()];                                                  // <- fence_of_another
    if (threadIdx.x == 0) __threadfence();
    if (!last(state)) return;
    for (int b = 0; b < 8; ++b) out[threadIdx.x] += part[b * 64 + threadIdx.x];      // <- fence_of_another
}

// A thread takes the ticket while another is still on its way to the part, which the reader loads as it would a flag.
KERNEL(ticket_of_another) {
    __threadfence();
    if (threadIdx.x == 63) part[blockIdx.x] = in[number()];                         // <- ticket_of_another
    if (last(state) && threadIdx.x < 8) out[threadIdx.x] = ((volatile int*)part)[threadIdx.x];   // <- ticket_of_another
}

KERNEL(fence_for_the_block) {
    part[number()] = in[number()];                                                  // <- fence_for_the_block
    __threadfence_block();
    __syncthreads();
    if (!last(state)) return;
    for (int b = 0; b < 8; ++b) out[threadIdx.x] += __ldcg(&part[b * 64 + threadIdx.x]);   // <- fence_for_the_block
}

// Half words, written by the first block that comes and read by the others, with no word between them.
KERNEL(no_ticket) {
    __half* halves = (__half*)part;
    if (blockIdx.x == 3) halves[threadIdx.x] = __float2half(1);                     // <- no_ticket
    else out[number()] = __half2float(halves[threadIdx.x]) > 0;                     // <- no_ticket
}

// Shifted in place: a block's last number is another one's first.
KERNEL(shift_in_place) {
    const int i = number(), v = i < 511 ? part[i + 1] : 0;                          // <- shift_in_place
    __syncthreads();
    part[i] = v + in[i];                                                            // <- shift_in_place
}

// All share a word: the last one's number stays.
KERNEL(who_comes_last) {
    if (threadIdx.x == 0) out[0] = blockIdx.x;                                      // <- who_comes_last
}

KERNEL(tiles_overlap) {
    const int i = blockIdx.x * 60 + threadIdx.x;
    reinterpret_cast<int4*>(out)[i] = make_int4(number(), 1, 1, 1);                 // <- tiles_overlap
}

// ---- Right ones.

KERNEL(every_thread_fences) {
    part[number()] = in[number()];
    __threadfence();
    __syncthreads();
    if (!last(state)) return;
    __threadfence();
    for (int b = 0; b < 8; ++b) out[threadIdx.x] += part[b * 64 + threadIdx.x];
    if (threadIdx.x == 0) *state = 0;
}

// Fences are cumulative: after the barrier one is enough.
KERNEL(one_thread_fences) {
    part[number()] = in[number()];
    __syncthreads();
    if (threadIdx.x == 0) __threadfence();
    if (!last(state)) return;
    for (int b = 0; b < 8; ++b) out[threadIdx.x] += part[b * 64 + threadIdx.x];
}

KERNEL(one_lane_fences) {
    __shared__ unsigned came[2];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    part[number()] = in[number()];
    __syncwarp();
    if (lane == 0) __threadfence(), came[warp] = atomicAdd(state + warp, 1u);
    __syncwarp();
    if (came[warp] + 1 != gridDim.x) return;
    for (int b = 0; b < 8; ++b) out[threadIdx.x] += part[b * 64 + threadIdx.x];
}

// Stream-K: each block waits for the one before, and adds to what it has left.
KERNEL(fix_up) {
    const int mine = turn(state);
    if (mine > 0) {
        if (threadIdx.x == 0) while (((volatile unsigned*)state)[mine] == 0) __nanosleep(20);
        __syncthreads();
        __threadfence();
    }
    part[threadIdx.x] += in[number()];
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) ((volatile unsigned*)state)[mine + 1] = 1;
    if (mine == 7) out[threadIdx.x] = part[threadIdx.x];
}

// The same with a semaphore that counts.
KERNEL(semaphore) {
    const int mine = turn(state);
    if (threadIdx.x == 0) while (int(atomicAdd(state + 1, 0u)) < mine) __nanosleep(20);
    __syncthreads();
    part[threadIdx.x] += in[number()];
    __syncthreads();
    if (threadIdx.x == 0) __threadfence(), atomicAdd(state + 1, 1u);
}

// Decoupled look-back: state and sum in one word, so that no fence is needed.
KERNEL(look_back) {
    volatile unsigned long long* sums = (volatile unsigned long long*)part;
    const int mine = turn(state);
    if (threadIdx.x > 0) return;
    unsigned before = 0;
    if (mine > 0) {
        unsigned long long word;
        do word = sums[mine - 1]; while (word >> 32 == 0);
        before = unsigned(word);
    }
    sums[mine] = 1ull << 32 | (before + 3);
    out[mine] = before;
}

// Flags beside the sums, stored as any word, polled as volatile or past the first-level cache.
KERNEL(plain_flags) {
    const int mine = turn(state);
    unsigned* flags = state + 8;
    if (threadIdx.x > 0) return;
    int before = 0;
    if (mine > 0) {
        while (((volatile unsigned*)flags)[mine - 1] == 0) __nanosleep(20);
        while (__ldcg(flags + mine - 1) == 0) __nanosleep(20);
        __threadfence();
        before = part[mine - 1];
    }
    part[mine] = before + 1;
    __threadfence();
    flags[mine] = 1;
}

// The largest number, looked at before the lock is taken.
KERNEL(double_checked) {
    int* best = part;
    if (threadIdx.x != 5 || in[number()] <= *best) return;
    while (atomicCAS(state, 0u, 1u) != 0) __nanosleep(20);
    __threadfence();
    if (in[number()] > *best) *best = in[number()];
    __threadfence();
    atomicExch(state, 0u);
}

// A table that every block makes for itself, the same one.
KERNEL(same_value) {
    part[threadIdx.x] = threadIdx.x * threadIdx.x + 1;
    __syncthreads();
    out[number()] = part[63 - threadIdx.x];
}

KERNEL(sums_by_atomics) {
    atomicAdd(part + threadIdx.x, in[number()]);
    __threadfence();
    __syncthreads();
    if (last(state)) out[threadIdx.x] = part[threadIdx.x];
}

// Whoever comes first stores, the others add.
KERNEL(first_stores) {
    const int mine = turn(state);
    if (mine == 0) out[threadIdx.x] = in[number()];
    __threadfence();
    __syncthreads();
    if (mine == 0 && threadIdx.x == 0) atomicExch(state + 1, 1u);
    if (mine == 0) return;
    while (((volatile unsigned*)state)[1] == 0) __nanosleep(20);
    __threadfence();
    atomicAdd(out + threadIdx.x, in[number()]);
}

// Each block has every other byte, half or word.
KERNEL(neighbours) {
    const int i = threadIdx.x * 8 + blockIdx.x;
    ((unsigned char*)out)[i] = (unsigned char)i;
    ((__half*)part)[i] = __int2half_rn(in[i]);
    if (__half2float(((__half*)part)[i]) < 0) ((unsigned char*)out)[i] = 0;
}

// Two places for work, each with a lock.
KERNEL(places_with_locks) {
    const int at = blockIdx.x % 2;
    if (threadIdx.x == 0) {
        while (atomicCAS(state + at, 0u, 1u) != 0) __nanosleep(20);
        __threadfence();
    }
    __syncthreads();
    part[at * 64 + threadIdx.x] = in[number()];
    __syncthreads();
    out[number()] = part[at * 64 + 63 - threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(state + at, 0u);
    }
}

// What a tile held is read before the last of those who read it clears it.
KERNEL(last_reader_clears) {
    if (blockIdx.x % 2) out[number()] = part[threadIdx.x];
    __syncthreads();
    if (last(state)) part[threadIdx.x] = -1;
}

// Blocks of a cluster (of 2) meet at its barrier.
KERNEL(in_a_cluster) {
    part[number()] = in[number()];
    darwarp::cluster_arrive();
    darwarp::cluster_wait();
    out[number()] = part[number() ^ 64];
}

// Of a cluster one block tells for both.
KERNEL(cluster_tells) {
    part[number()] = in[number()];
    darwarp::cluster_arrive();
    darwarp::cluster_wait();
    __shared__ unsigned came;
    if (darwarp::cluster_rank() > 0) return;
    if (threadIdx.x == 0) __threadfence(), came = atomicAdd(state, 1u);
    __syncthreads();
    if (came + 1 != gridDim.x / 2) return;
    for (int b = 0; b < 8; ++b) out[threadIdx.x] += part[b * 64 + threadIdx.x];
}
