// A team is the threads that share one row: a part of a warp, some warps of a block, or one block of each
// rank of a cluster. Teams of a block are side by side and take the same number of steps.
#pragma once

#include <darwarp/cluster.cuh>

namespace darwarp {

// shuffle_xor exchanges a value of one or more floats between lanes.
template <class V>
__device__ __forceinline__ V shuffle_xor(const V& v, int lanes) {
    static_assert(sizeof(V) % 4 == 0, "a value is made of floats");
    V other;
    #pragma unroll
    for (int i = 0; i < int(sizeof(V) / 4); ++i)
        reinterpret_cast<float*>(&other)[i] =
            __shfl_xor_sync(0xffffffffu, reinterpret_cast<const float*>(&v)[i], lanes);
    return other;
}

// Team has SIZE threads of each block of BLOCK threads, in each of the CLUSTER blocks that share rows. All
// numbers are powers of two. A team in a cluster is the whole block.
template <int SIZE, int BLOCK, int CLUSTER = 1>
class Team {
    static_assert(CLUSTER == 1 || (SIZE == BLOCK && SIZE >= 32), "a cluster shares one row");
    static constexpr int WARPS = SIZE > 32 ? SIZE / 32 : 1;  // of a block
    static constexpr int PARTS = WARPS * CLUSTER;            // sums that come together in shared memory
    static constexpr int MOST = 3;                           // floats of a value
    int turn = 0;

public:
    static constexpr int COUNT = BLOCK / SIZE;  // teams of a block
    static constexpr int THREADS = SIZE;
    static constexpr int RANKS = CLUSTER;

    __device__ __forceinline__ int index() const { return COUNT == 1 ? 0 : int(threadIdx.x) / SIZE; }
    __device__ __forceinline__ int lane() const {
        __builtin_assume(threadIdx.x < BLOCK);  // with it, whoever knows the columns of a row knows who has words
        return COUNT == 1 ? int(threadIdx.x) : int(threadIdx.x) % SIZE;
    }

    // arrive and meet make sure that all blocks of a cluster have started before one writes to another.
    __device__ __forceinline__ void arrive() const {
        if constexpr (CLUSTER > 1) cluster_arrive();
    }
    __device__ __forceinline__ void meet() const {
        if constexpr (CLUSTER > 1) cluster_wait();
    }

    // reduce gives every thread of the team merge() over all their values. merge must be symmetric to
    // the bit, so that all threads get the same. Two sets of slots take turns: whoever is a step ahead
    // waits at its barrier before it comes back to a set that others still read.
    template <class V, class Merge>
    __device__ __forceinline__ V reduce(V v, Merge merge) {
        #pragma unroll
        for (int d = (SIZE < 32 ? SIZE : 32) / 2; d > 0; d /= 2) v = merge(v, shuffle_xor(v, d));
        if constexpr (PARTS > 1) v = exchange(v, merge);
        return v;
    }

private:
    template <class V, class Merge>
    __device__ __forceinline__ V exchange(const V& v, Merge merge) {
        constexpr int WORDS = sizeof(V) / 4;
        static_assert(WORDS <= MOST, "a slot has room for MOST floats");
        __shared__ float slots[2][COUNT * PARTS][MOST];
        const int warp = (int(threadIdx.x) % SIZE) / 32, lane = int(threadIdx.x) % 32, base = index() * PARTS;
        const float* mine = reinterpret_cast<const float*>(&v);
        if constexpr (CLUSTER > 1) {
            if (lane < CLUSTER)
                #pragma unroll
                for (int i = 0; i < WORDS; ++i)
                    cluster_store(&slots[turn][int(cluster_rank()) * WARPS + warp][i], lane, mine[i]);
            cluster_arrive();
            cluster_wait();
        } else {
            if (lane == 0)
                #pragma unroll
                for (int i = 0; i < WORDS; ++i) slots[turn][base + warp][i] = mine[i];
            __syncthreads();
        }
        V sum = part<V>(slots[turn][base + lane % PARTS]);
        #pragma unroll
        for (int more = 32; more < PARTS; more += 32) sum = merge(sum, part<V>(slots[turn][base + more + lane]));
        #pragma unroll
        for (int d = (PARTS < 32 ? PARTS : 32) / 2; d > 0; d /= 2) sum = merge(sum, shuffle_xor(sum, d));
        turn ^= 1;
        return sum;
    }

    template <class V>
    static __device__ __forceinline__ V part(const float (&slot)[MOST]) {
        V v;
        #pragma unroll
        for (int i = 0; i < int(sizeof(V) / 4); ++i) reinterpret_cast<float*>(&v)[i] = slot[i];
        return v;
    }
};

}  // namespace darwarp
