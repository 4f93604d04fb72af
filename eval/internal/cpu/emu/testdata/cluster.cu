// Clusters of blocks, right and wrong. Lines at fault are marked with the name of their kernel.
#include <darwarp/darwarp.cuh>

using namespace darwarp;

// Each block adds up the numbers of all threads of its cluster, in two rounds of two sets of slots. Every third thread of
// a block with an odd number leaves early and is not waited for.
extern "C" __global__ void sums(int* out, int blocks) {
    extern __shared__ float dynamic[];
    __shared__ float fixed[16];
    const int rank = cluster_rank();
    cluster_arrive();
    cluster_wait();  // all have started
    if (threadIdx.x < unsigned(blocks)) {
        cluster_store(&fixed[rank], threadIdx.x, float(blockIdx.x + blockIdx.y * 100));
        cluster_store(&dynamic[rank], threadIdx.x, float(rank));
    }
    cluster_arrive();
    if (threadIdx.x % 3 == 2 && blockIdx.x % 2 == 1) return;
    cluster_wait();
    float sum = 0, ranks = 0;
    for (int i = 0; i < blocks; ++i) sum += fixed[i], ranks += dynamic[i];
    if (threadIdx.x == 0) {
        int* mine = out + (blockIdx.y * gridDim.x + blockIdx.x) * 3;
        mine[0] = rank;
        mine[1] = int(sum);
        mine[2] = int(ranks);
    }
}

// Each thread reads four numbers of the block of its cluster that has its number.
extern "C" __global__ void reads(float4* out, int blocks) {
    __shared__ float4 own;
    if (threadIdx.x == 0) own = {float(cluster_rank()), 1.f, 2.f, float(blockIdx.x)};
    cluster_arrive();
    cluster_wait();
    if (threadIdx.x < unsigned(blocks)) out[blockIdx.x * blocks + threadIdx.x] = cluster_load(&own, threadIdx.x);
    cluster_arrive();
    cluster_wait();  // no block ends before it has been read
}

// Each block sends every block four numbers, itself as well; nobody looks at them before all bytes have come.
extern "C" __global__ void sends(float4* out, int blocks) {
    __shared__ float4 got[8];
    __shared__ Mbarrier all;
    if (threadIdx.x == 0) {
        mbarrier_init(&all, 1);
        mbarrier_fence();
        mbarrier_expect(&all, 16 * blocks);
    }
    __syncthreads();
    cluster_arrive_only();
    cluster_wait();
    if (threadIdx.x < unsigned(blocks))
        cluster_send(&got[cluster_rank()], threadIdx.x, make_float4(float(cluster_rank()), 1.f, 2.f, float(blockIdx.x)), &all);
    mbarrier_wait(&all, 0);
    if (threadIdx.x < unsigned(blocks)) out[blockIdx.x * blocks + threadIdx.x] = got[threadIdx.x];
}

extern "C" __global__ void early(int* out) {
    __shared__ float slot[2];
    const int rank = cluster_rank();
    slot[rank ^ 1] = 0;  // <- early
    cluster_store(&slot[rank], rank ^ 1, 1.f);  // <- early
    cluster_arrive();
    cluster_wait();
    out[blockIdx.x] = int(slot[0] + slot[1]);
}

extern "C" __global__ void no_wait(int* out) {
    __shared__ float slot[2];
    const int rank = cluster_rank();
    cluster_arrive();
    cluster_wait();
    if (threadIdx.x == 0) cluster_store(&slot[0], rank ^ 1, 1.f);  // <- no_wait
    cluster_arrive();
    if (threadIdx.x == 1) out[blockIdx.x] = int(slot[0]);  // <- no_wait
    cluster_wait();
}

extern "C" __global__ void absent(int* out) {
    if (cluster_rank() == 1 && threadIdx.x == 0)
        while (atomicAdd(out, 0) == 0) {}  // for what block 0 writes after the barrier
    cluster_arrive();
    cluster_wait();  // <- absent
    if (cluster_rank() == 0) atomicExch(out, 1);
}

extern "C" __global__ void lonely(int* out) {
    if (cluster_rank() == 0) __syncthreads();
    else if (threadIdx.x > 0) {
        cluster_arrive();
        cluster_wait();  // <- lonely
    } else {
        __shfl_sync(3u, 1, 1);  // <- lonely
    }
    out[0] = 1;
}

extern "C" __global__ void twice(int* out) {
    cluster_arrive();
    cluster_arrive();  // <- twice
    out[0] = 1;
}

extern "C" __global__ void beyond(int* out) {
    __shared__ float slot;
    cluster_store(&slot, 2, 1.f);  // <- beyond
    out[0] = 1;
}

// ended reads what block 0 has, which may have returned: nothing keeps it until it is read.
extern "C" __global__ void ended(int* out) {
    __shared__ float4 own;
    if (threadIdx.x == 0) own = make_float4(1.f, 2.f, 3.f, 4.f);
    cluster_arrive();
    cluster_wait();
    if (cluster_rank() == 1) {
        const float4 got = cluster_load(&own, 0);  // <- ended
        out[0] = int(got.x);
    }
}

extern "C" __global__ void far(int* out) {
    __shared__ float4 got;
    __shared__ Mbarrier all;
    if (threadIdx.x == 0) mbarrier_init(&all, 1), mbarrier_fence();
    cluster_send(&got, 2, make_float4(0.f, 0.f, 0.f, 0.f), &all);  // <- far
    out[0] = 1;
}
