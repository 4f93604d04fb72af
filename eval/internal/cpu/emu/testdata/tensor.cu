// Copies by tensor map, right and wrong. Lines at fault are marked with the name of their kernel.
#include <darwarp/darwarp.cuh>
#include <darwarp/tensor_map.cuh>

using namespace darwarp;

extern __shared__ __align__(1024) unsigned char memory[];

// Shared memory as a box of so many bytes leaves it.
extern "C" __global__ void load_box(const __grid_constant__ TensorMap map, int* y, int row, int column, int bytes) {
    __shared__ Mbarrier barrier;
    if (threadIdx.x == 0) {
        tensor_map_prefetch(map);
        mbarrier_init(&barrier, 1);
        mbarrier_fence();
        mbarrier_expect(&barrier, bytes);
        tensor_load(memory, map, row, column, &barrier);
    }
    __syncthreads();
    mbarrier_wait(&barrier, 0);
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) y[i] = reinterpret_cast<int*>(memory)[i];
}

extern "C" __global__ void store_box(const __grid_constant__ TensorMap map, const int* x, int row, int column, int bytes) {
    for (int i = threadIdx.x; i < bytes / 4; i += blockDim.x) reinterpret_cast<int*>(memory)[i] = x[i];
    async_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        tensor_store(map, row, column, memory);
        bulk_commit();
        bulk_wait_read<0>();
    }
}

// Two blocks of a cluster share rows of 32 numbers, 16 a step: each has half of them loaded for both. Warp 0 asks, warp 1 adds up.
template <class Load>
__device__ void share(int* y, int steps, Load load) {
    __shared__ Mbarrier full[2], empty[2];
    const unsigned rank = cluster_rank();
    const int lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; ++s) mbarrier_init(&full[s], 1), mbarrier_init(&empty[s], 2);
        mbarrier_fence();
    }
    cluster_arrive_only();
    cluster_wait();
    if (threadIdx.x == 0) {
        for (int i = 0; i < steps; ++i) {
            mbarrier_wait(&empty[i % 2], i / 2 % 2 ^ 1);
            mbarrier_expect(&full[i % 2], 2048);
            load(memory + i % 2 * 2048 + rank * 1024, i * 16 + rank * 8, &full[i % 2]);
        }
        for (int i = steps; i < steps + 2; ++i) mbarrier_wait(&empty[i % 2], i / 2 % 2 ^ 1);  // the end
    } else if (threadIdx.x >= 32) {
        for (int i = 0; i < steps; ++i) {
            mbarrier_wait(&full[i % 2], i / 2 % 2);
            int sum = 0;
            for (int r = 0; r < 16; ++r) sum += (r + 1) * reinterpret_cast<int*>(memory)[i % 2 * 512 + r * 32 + lane];
            __syncwarp();
            if (lane < 2) mbarrier_arrive_at(&empty[i % 2], lane);
            y[(blockIdx.x * steps + i) * 32 + lane] = sum;
        }
    }
}
extern "C" __global__ void shared_rows(const __grid_constant__ TensorMap map, int* y, int steps) {
    share(y, steps, [&](unsigned char* to, int row, Mbarrier* full) { tensor_load_multicast(to, map, row, 0, full, 3); });
}
extern "C" __global__ void shared_runs(const int* x, int* y, int steps) {
    share(y, steps, [&](unsigned char* to, int row, Mbarrier* full) { bulk_load_multicast(to, x + row * 32, 1024, full, 3); });
}

// set_up makes a barrier for one arrival.
__device__ __forceinline__ void set_up(Mbarrier* barrier) {
    if (threadIdx.x == 0) mbarrier_init(barrier, 1), mbarrier_fence();
    __syncthreads();
}

extern "C" __global__ void no_wait(const __grid_constant__ TensorMap map, int* y) {
    __shared__ Mbarrier barrier;
    set_up(&barrier);
    if (threadIdx.x == 0) {
        mbarrier_expect(&barrier, 1024);
        tensor_load(memory, map, 0, 0, &barrier);              // <- no_wait
    }
    __syncthreads();
    y[threadIdx.x] = memory[4 * threadIdx.x];                  // <- no_wait
    mbarrier_wait(&barrier, 0);
}

extern "C" __global__ void too_few_bytes(const __grid_constant__ TensorMap map, int* y) {
    __shared__ Mbarrier barrier;
    set_up(&barrier);
    if (threadIdx.x == 0) {
        mbarrier_expect(&barrier, 1008);
        tensor_load(memory, map, 0, 0, &barrier);
    }
    mbarrier_wait(&barrier, 0);                                // <- too_few_bytes
    y[threadIdx.x] = memory[4 * threadIdx.x];
}

extern "C" __global__ void odd_address(const __grid_constant__ TensorMap map, int* y) {
    __shared__ Mbarrier barrier;
    set_up(&barrier);
    if (threadIdx.x == 0) {
        mbarrier_expect(&barrier, 1024);
        tensor_load(memory + 64, map, 0, 0, &barrier);         // <- odd_address
    }
    mbarrier_wait(&barrier, 0);
    y[threadIdx.x] = memory[4 * threadIdx.x];
}

extern "C" __global__ void past_shared(const __grid_constant__ TensorMap map, int* y) {
    __shared__ Mbarrier barrier;
    set_up(&barrier);
    if (threadIdx.x == 0) {
        mbarrier_expect(&barrier, 1024);
        tensor_load(memory + 3200, map, 0, 0, &barrier);       // <- past_shared
    }
    mbarrier_wait(&barrier, 0);
    y[threadIdx.x] = memory[4 * threadIdx.x];
}

extern "C" __global__ void no_such_block(const __grid_constant__ TensorMap map, int* y) {
    __shared__ Mbarrier barrier;
    set_up(&barrier);
    if (threadIdx.x == 0) {
        mbarrier_expect(&barrier, 1024);
        tensor_load_multicast(memory, map, 0, 0, &barrier, 3); // <- no_such_block
    }
    mbarrier_wait(&barrier, 0);
    y[threadIdx.x] = memory[4 * threadIdx.x];
}

extern "C" __global__ void no_such_block_of_runs(const __grid_constant__ TensorMap map, int* y) {
    __shared__ Mbarrier barrier;
    set_up(&barrier);
    if (threadIdx.x == 0) {
        mbarrier_expect(&barrier, 128);
        bulk_load_multicast(memory, y, 128, &barrier, 2);      // <- no_such_block_of_runs
    }
    mbarrier_wait(&barrier, 0);
    y[threadIdx.x] = memory[4 * threadIdx.x];
}

extern "C" __global__ void far_arrival(const __grid_constant__ TensorMap map, int* y) {
    __shared__ Mbarrier barrier;
    set_up(&barrier);
    if (threadIdx.x == 0) mbarrier_arrive_at(&barrier, 1);     // <- far_arrival
    y[threadIdx.x] = 0;
}

extern "C" __global__ void no_store_fence(const __grid_constant__ TensorMap map, int* y) {
    memory[threadIdx.x] = 1;
    __syncthreads();
    for (int i = 0; i < 16; ++i) memory[i * 64 + threadIdx.x] = 1;   // <- no_store_fence
    __syncthreads();
    if (threadIdx.x == 0) {
        tensor_store(map, 0, 0, memory);                       // <- no_store_fence
        bulk_commit();
        bulk_wait_read<0>();
    }
}

extern "C" __global__ void overtaken(const __grid_constant__ TensorMap map, int* y) {
    for (int i = 0; i < 16; ++i) memory[i * 64 + threadIdx.x] = 1;
    async_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        tensor_store(map, 0, 0, memory);                       // <- overtaken
        bulk_commit();
    }
    __syncthreads();
    memory[threadIdx.x] = 7;                                   // <- overtaken
    __syncthreads();
    if (threadIdx.x == 0) bulk_wait_read<0>();
}
