// Bulk copies and mbarriers, right and wrong. Lines at fault are marked with the name of their kernel.
#include <darwarp/darwarp.cuh>

using namespace darwarp;

// Rows of 64 numbers through a ring of three places: y = x + 1. Four warps work on a row, the first thread asks for rows and
// stores them; a row's place is asked for again when its results have left.
extern "C" __global__ void ring(const int* x, int* y, int rows) {
    __shared__ __align__(16) int at[3][64];
    __shared__ Mbarrier full[3], empty[3];
    const int t = threadIdx.x;
    if (t == 0) {
        for (int s = 0; s < 3; ++s) mbarrier_init(&full[s], 1), mbarrier_init(&empty[s], 4);
        mbarrier_fence();
    }
    __syncthreads();
    const auto ask = [&](int i) {
        const int row = blockIdx.x + i * gridDim.x;
        if (row >= rows || t > 0) return;
        bulk_wait_read<1>();
        mbarrier_expect(&full[i % 3], 256);
        bulk_load<STREAMING>(&at[i % 3][0], x + row * 64, 128, &full[i % 3]);
        bulk_load<CACHED>(&at[i % 3][32], x + row * 64 + 32, 128, &full[i % 3]);
    };
    ask(0);
    for (int i = 0; blockIdx.x + i * gridDim.x < rows; ++i) {
        ask(i + 1);
        mbarrier_wait(&full[i % 3], i / 3 & 1);
        const int v = at[i % 3][t / 2 ^ 1];
        __syncthreads();
        if (t % 2 == 0) at[i % 3][t / 2 ^ 1] = v + 1;
        async_fence();
        __syncwarp();
        if (t % 32 == 0) mbarrier_arrive(&empty[i % 3]);
        if (t == 0) {
            mbarrier_wait(&empty[i % 3], i / 3 & 1);
            bulk_store<STREAMING>(y + (blockIdx.x + i * gridDim.x) * 64, &at[i % 3][0], 256);
            bulk_commit();
        }
    }
    if (t == 0) bulk_wait_read<0>();
}

// set_up makes two barriers for one arrival and one for both warps.
__device__ __forceinline__ void set_up(Mbarrier (&barriers)[3]) {
    if (threadIdx.x == 0) {
        mbarrier_init(&barriers[0], 1);
        mbarrier_init(&barriers[1], 1);
        mbarrier_init(&barriers[2], 2);
        mbarrier_fence();
    }
    __syncthreads();
}

extern "C" __global__ void no_wait(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    __shared__ Mbarrier barriers[3];
    set_up(barriers);
    if (threadIdx.x == 0) {
        mbarrier_expect(&barriers[0], 256);
        bulk_load<CACHED>(at, x, 256, &barriers[0]);           // <- no_wait
    }
    __syncthreads();
    y[threadIdx.x] = at[threadIdx.x];                          // <- no_wait
    mbarrier_wait(&barriers[0], 0);
}

extern "C" __global__ void wrong_parity(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    __shared__ Mbarrier barriers[3];
    set_up(barriers);
    if (threadIdx.x == 0) {
        mbarrier_expect(&barriers[0], 256);
        bulk_load<CACHED>(at, x, 256, &barriers[0]);           // <- wrong_parity
    }
    mbarrier_wait(&barriers[0], 1);
    y[threadIdx.x] = at[threadIdx.x];                          // <- wrong_parity
    mbarrier_wait(&barriers[0], 0);
}

// Somebody else has waited, this thread has not.
extern "C" __global__ void one_waits(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    __shared__ Mbarrier barriers[3];
    set_up(barriers);
    if (threadIdx.x == 0) {
        mbarrier_expect(&barriers[0], 256);
        bulk_load<CACHED>(at, x, 256, &barriers[0]);           // <- one_waits
        mbarrier_wait(&barriers[0], 0);
    }
    y[threadIdx.x] = at[threadIdx.x];                          // <- one_waits
}

extern "C" __global__ void no_expect(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    __shared__ Mbarrier barriers[3];
    set_up(barriers);
    if (threadIdx.x == 0) {
        mbarrier_arrive(&barriers[0]);
        bulk_load<CACHED>(at, x, 256, &barriers[0]);           // <- no_expect
    }
    mbarrier_wait(&barriers[0], 0);
    y[threadIdx.x] = at[threadIdx.x];                          // <- no_expect
}

extern "C" __global__ void too_many_bytes(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    __shared__ Mbarrier barriers[3];
    set_up(barriers);
    if (threadIdx.x == 0) {
        mbarrier_expect(&barriers[0], 272);
        bulk_load<CACHED>(at, x, 256, &barriers[0]);
    }
    mbarrier_wait(&barriers[0], 0);                            // <- too_many_bytes
    y[threadIdx.x] = at[threadIdx.x];
}

// A turn of the ring asks again for a place that others still read.
extern "C" __global__ void refill_early(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    __shared__ Mbarrier barriers[3];
    set_up(barriers);
    int sum = 0;
    for (int i = 0; i < 2; ++i) {
        if (threadIdx.x == 0) {
            mbarrier_expect(&barriers[i], 256);
            bulk_load<CACHED>(at, x + 64 * i, 256, &barriers[i]);  // <- refill_early
        }
        mbarrier_wait(&barriers[i], 0);
        sum += at[63 - threadIdx.x];                           // <- refill_early
    }
    y[threadIdx.x] = sum;
}

// A warp says that it has read, and reads.
extern "C" __global__ void leave_early(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    __shared__ Mbarrier barriers[3];
    set_up(barriers);
    int sum = 0;
    for (int i = 0; i < 2; ++i) {
        if (threadIdx.x == 0) {
            mbarrier_wait(&barriers[2], 1 - i);
            mbarrier_expect(&barriers[i], 256);
            bulk_load<CACHED>(at, x + 64 * i, 256, &barriers[i]);  // <- leave_early
        }
        mbarrier_wait(&barriers[i], 0);
        if (threadIdx.x % 32 == 0) mbarrier_arrive(&barriers[2]);
        sum += at[63 - threadIdx.x];                           // <- leave_early
    }
    y[threadIdx.x] = sum;
}

extern "C" __global__ void no_init_fence(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    __shared__ Mbarrier barrier;
    if (threadIdx.x == 0) mbarrier_init(&barrier, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_expect(&barrier, 256);
        bulk_load<CACHED>(at, x, 256, &barrier);               // <- no_init_fence
    }
    mbarrier_wait(&barrier, 0);
    y[threadIdx.x] = at[threadIdx.x];
}

extern "C" __global__ void not_ready(const int* x, int* y) {
    __shared__ Mbarrier barrier;
    if (threadIdx.x == 63) mbarrier_init(&barrier, 64);        // <- not_ready
    mbarrier_arrive(&barrier);                                 // <- not_ready
    mbarrier_wait(&barrier, 0);
    y[threadIdx.x] = x[threadIdx.x];
}

extern "C" __global__ void one_too_many(const int* x, int* y) {
    __shared__ Mbarrier barriers[3];
    set_up(barriers);
    if (threadIdx.x == 0) mbarrier_expect(&barriers[0], 16);
    __syncthreads();
    if (threadIdx.x == 1) mbarrier_arrive(&barriers[0]);       // <- one_too_many
    y[threadIdx.x] = x[threadIdx.x];
}

extern "C" __global__ void overwritten(const int* x, int* y) {
    __shared__ Mbarrier barriers[3];
    set_up(barriers);
    if (threadIdx.x == 0) barriers[1].bits = x[0];
    __syncthreads();
    if (threadIdx.x == 1) mbarrier_arrive(&barriers[1]);       // <- overwritten
    y[threadIdx.x] = x[threadIdx.x];
}

extern "C" __global__ void load_left(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    __shared__ Mbarrier barriers[3];
    set_up(barriers);
    y[threadIdx.x] = 0;
    if (threadIdx.x != 0) return;
    mbarrier_expect(&barriers[0], 256);
    bulk_load<CACHED>(at, x, 256, &barriers[0]);               // <- load_left
}

extern "C" __global__ void load_past_the_end(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    __shared__ Mbarrier barriers[3];
    set_up(barriers);
    if (threadIdx.x == 0) {
        mbarrier_expect(&barriers[0], 256);
        bulk_load<CACHED>(at, x + 68, 256, &barriers[0]);      // <- load_past_the_end
    }
    mbarrier_wait(&barriers[0], 0);
    y[threadIdx.x] = at[threadIdx.x];
}

extern "C" __global__ void odd_address(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    __shared__ Mbarrier barriers[3];
    set_up(barriers);
    if (threadIdx.x == 0) {
        mbarrier_expect(&barriers[0], 128);
        bulk_load<CACHED>(at, x + 1, 128, &barriers[0]);       // <- odd_address
    }
    mbarrier_wait(&barriers[0], 0);
    y[threadIdx.x] = at[threadIdx.x];
}

extern "C" __global__ void no_store_fence(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    at[threadIdx.x] = x[threadIdx.x];                          // <- no_store_fence
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store<CACHED>(y, at, 256);                        // <- no_store_fence
        bulk_commit();
        bulk_wait_read<0>();
    }
}

extern "C" __global__ void store_unordered(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    at[threadIdx.x] = x[threadIdx.x];                          // <- store_unordered
    async_fence();
    __syncwarp();
    if (threadIdx.x == 0) {
        bulk_store<CACHED>(y, at, 256);                        // <- store_unordered
        bulk_commit();
        bulk_wait_read<0>();
    }
}

extern "C" __global__ void overtaken(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    at[threadIdx.x] = x[threadIdx.x];
    async_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store<CACHED>(y, at, 256);                        // <- overtaken
        bulk_commit();
    }
    __syncthreads();
    at[threadIdx.x] = 7;                                       // <- overtaken
    __syncthreads();
    if (threadIdx.x == 0) bulk_wait_read<0>();
}

extern "C" __global__ void uncommitted(const int* x, int* y) {
    __shared__ __align__(16) int at[64];
    at[threadIdx.x] = x[threadIdx.x];
    async_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_store<CACHED>(y, at, 256);                        // <- uncommitted
        bulk_wait_read<0>();
    }
}

// Every block adds its row to the same numbers, which nothing orders.
extern "C" __global__ void sums(const float* x, float* y) {
    __shared__ __align__(16) float at[64];
    at[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
    async_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_add(y, at, 256);
        bulk_commit();
        bulk_wait<0>();
    }
}

extern "C" __global__ void no_add_fence(const int* x, int* y) {
    __shared__ __align__(16) float at[64];
    at[threadIdx.x] = x[threadIdx.x];                          // <- no_add_fence
    __syncthreads();
    if (threadIdx.x == 0) {
        bulk_add(reinterpret_cast<float*>(y), at, 256);        // <- no_add_fence
        bulk_commit();
        bulk_wait_read<0>();
    }
}

// A remainder of a negative number is one.
extern "C" __global__ void no_parity(const int* x, int* y) {
    __shared__ Mbarrier barriers[3];
    set_up(barriers);
    if (threadIdx.x == 0) mbarrier_wait(&barriers[0], -int(blockDim.x - 63) % 2);  // <- no_parity
}
