// cp.async, ldmatrix, mma.sync, wmma and the vector helpers against their definitions.
#include <darwarp/darwarp.cuh>

using namespace darwarp;
namespace wmma = nvcuda::wmma;

__device__ void note(int* failed, int line) {
    const int n = atomicAdd(failed, 1);
    if (n < 63) failed[1 + n] = line;
}
#define CHECK(condition) do { if (!(condition)) note(failed, __LINE__); } while (0)

// One warp. A copy has landed when its thread has waited for its group; before that it seldom has.
extern "C" __global__ void copies(int* failed, uint4* from) {
    __shared__ uint4 to[4][32];
    const int t = threadIdx.x;
    const auto flying = [&](int group, unsigned comes) {  // in most threads, with what comes in the others
        CHECK(to[group][t].x == ~0u || to[group][t].x == comes);
        CHECK(__popc(__ballot_sync(~0u, to[group][t].x == ~0u)) >= 16);
    };
    for (int group = 0; group < 3; ++group) {
        cp_async16_or_zero(&to[group][t], &from[t], group != 1);
        cp_async16_if(t % 2 == 0 && group == 2, &to[3][t], &from[t]);
        cp_async_commit();
    }
    flying(0, from[t].x);
    const unsigned before = from[t].y;
    from[t].y = 99;  // read when it lands
    cp_async_wait<2>();
    CHECK(to[0][t].x == from[t].x && (to[0][t].y == 99 || to[0][t].y == before));
    flying(1, 0);
    flying(2, from[t].x);
    cp_async_wait<1>();
    CHECK(to[1][t].x == 0 && to[1][t].w == 0);
    flying(2, from[t].x);
    cp_async_wait<0>();
    CHECK(to[2][t].w == from[t].w);
    CHECK(t % 2 == 0 ? to[3][t].x == from[t].x : to[3][t].x == ~0u);
    cp_async16_or_zero(&to[0][t], &from[31 - t], true);  // no commit: no wait covers it
    cp_async_wait<0>();
    CHECK(to[0][t].x == from[t].x || to[0][t].x == from[31 - t].x);
    CHECK(__popc(__ballot_sync(~0u, to[0][t].x == from[t].x)) >= 16);
}

// Copies of one or two numbers leave their neighbours alone.
extern "C" __global__ void small_copies(int* failed, uint4* from) {
    __shared__ __align__(16) unsigned to[32][4];
    const int t = threadIdx.x;
    for (int i = 0; i < 4; ++i) to[t][i] = 7;
    cp_async_or_zero<4>(&to[t][1], &from[t].x, t % 2 == 0);
    cp_async_or_zero<8>(&to[t][2], &from[t].x, true);
    cp_async_commit();
    cp_async_wait<0>();
    CHECK(to[t][0] == 7 && to[t][1] == (t % 2 ? 0 : from[t].x) && to[t][2] == from[t].x && to[t][3] == from[t].y);
}

extern "C" __global__ void fragments(int* failed) {
    __shared__ __align__(16) unsigned short tile[32][8];
    const int lane = threadIdx.x;
    for (int i = 0; i < 8; ++i) tile[lane][i] = lane * 8 + i;
    __syncwarp();
    unsigned r[4];
    ldmatrix_x4(r[0], r[1], r[2], r[3], tile[lane]);
    for (int m = 0; m < 4; ++m) {
        const unsigned first = (8 * m + lane / 4) * 8 + lane % 4 * 2;
        CHECK(r[m] == (first | (first + 1) << 16));
    }
    ldmatrix_x4_trans(r[0], r[1], r[2], r[3], tile[lane]);
    for (int m = 0; m < 4; ++m) {
        const unsigned first = (8 * m + lane % 4 * 2) * 8 + lane / 4;
        CHECK(r[m] == (first | (first + 8) << 16));
    }
    CHECK(shared_address(&tile[1]) - shared_address(&tile[0]) == 16);
}

// D = A * B^T + 1 with A 16 x 16 and B 8 x 16 small integers: exact in every type.
template <class T> __device__ T element(int row, int k) { return from_float<T>(float((row * 5 + k * 3) % 7 - 3)); }

template <class T, class D> __device__ void multiply(int* failed) {
    const int lane = threadIdx.x, g = lane / 4, t = lane % 4 * 2;
    auto pair = [](int row, int k) { return pack2<T>(to_float(element<T>(row, k)), to_float(element<T>(row, k + 1))); };
    const unsigned a[4] = {pair(g, t), pair(g + 8, t), pair(g, t + 8), pair(g + 8, t + 8)};
    const unsigned b[2] = {pair(g, t), pair(g, t + 8)};
    constexpr bool NARROW = sizeof(D) == 8;
    D d;
    float got[4];
    if constexpr (NARROW) d[0] = d[1] = pack2<T>(1.f, 1.f);
    else d[0] = d[1] = d[2] = d[3] = 1.f;
    mma_m16n8k16<T>(d, a, b);
    if constexpr (NARROW) {
        const float2 lo = unpack2<T>(d[0]), hi = unpack2<T>(d[1]);
        got[0] = lo.x, got[1] = lo.y, got[2] = hi.x, got[3] = hi.y;
    } else {
        for (int i = 0; i < 4; ++i) got[i] = d[i];
    }
    for (int i = 0; i < 4; ++i) {
        float want = 1.f;
        for (int k = 0; k < 16; ++k) want += to_float(element<T>(g + i / 2 * 8, k)) * to_float(element<T>(t + i % 2, k));
        CHECK(got[i] == want);
    }
}

// The same with A 16 x 8 and B 8 x 8 in tf32. Operands that are none are rounded first.
__device__ void multiply_tf32(int* failed) {
    const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
    auto number = [](int row, int k) { return 1.f + float((row * 5 + k * 3) % 7 - 3) * 0x1p-10f; };
    const float a[4] = {number(g, t), number(g + 8, t), number(g, t + 4), number(g + 8, t + 4)};
    const float b[2] = {to_tf32(number(g, t) + 0x1p-13f), to_tf32(number(g, t + 4) - 0x1p-13f)};
    float d[4] = {1.f, 1.f, 1.f, 1.f};
    mma_m16n8k8_tf32(d, a, b);
    for (int i = 0; i < 4; ++i) {
        float want = 1.f;
        for (int k = 0; k < 8; ++k) want += number(g + i / 2 * 8, k) * number(2 * t + i % 2, k);
        CHECK(fabsf(d[i] - want) <= 0x1p-20f);
    }
    CHECK(to_tf32(1.f + 0x1p-11f) == 1.f + 0x1p-10f && to_tf32(-1.f - 0x1p-11f) == -1.f - 0x1p-10f);
    CHECK(to_tf32(1.f + 0x1p-12f) == 1.f && to_tf32(__int_as_float(0xff800000)) == __int_as_float(0xff800000));
    const float nan = to_tf32(__int_as_float(0x7fffffff));
    CHECK(nan != nan);
    CHECK(max_nan(1.f, 2.f) == 2.f && max_nan(2.f, 1.f) == 2.f && min_nan(1.f, 2.f) == 1.f && min_nan(2.f, 1.f) == 1.f);
    const float kept[4] = {max_nan(nan, 1.f), max_nan(1.f, nan), min_nan(nan, 1.f), min_nan(1.f, nan)};
    for (const float v : kept) CHECK(v != v);
}

extern "C" __global__ void products(int* failed) {
    multiply_tf32(failed);
    multiply<__half, float[4]>(failed);
    multiply<__nv_bfloat16, float[4]>(failed);
    multiply<__half, unsigned[2]>(failed);
}

template <class A, class B> struct Same { static constexpr bool value = false; };
template <class A> struct Same<A, A> { static constexpr bool value = true; };

// One warp, one wmma shape, both layouts of each operand and of the sums.
template <int M, int N, class T, class Sum, class LayoutA, class LayoutB> __device__ void portable(int* failed, wmma::layout_t out) {
    constexpr int K = 16;
    constexpr bool A_ROWS = Same<LayoutA, wmma::row_major>::value, B_ROWS = Same<LayoutB, wmma::row_major>::value;
    __shared__ T a[32 * 24], b[32 * 40];
    __shared__ Sum c[32 * 40];
    const int lda = A_ROWS ? K + 8 : M + 8, ldb = B_ROWS ? N + 8 : K + 8, ldc = out == wmma::mem_row_major ? N + 8 : M + 8;
    __syncwarp();
    for (int i = threadIdx.x; i < M * K; i += 32) a[A_ROWS ? i / K * lda + i % K : i % K * lda + i / K] = element<T>(i / K, i % K);
    for (int i = threadIdx.x; i < N * K; i += 32) b[B_ROWS ? i % K * ldb + i / K : i / K * ldb + i % K] = element<T>(i / K + 1, i % K);
    for (int i = threadIdx.x; i < M * N; i += 32) c[out == wmma::mem_row_major ? i / N * ldc + i % N : i % N * ldc + i / N] = from_float<Sum>(float(i % 5));
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, Sum> fc, two;
    wmma::load_matrix_sync(fa, a, lda);
    wmma::load_matrix_sync(fb, b, ldb);
    wmma::load_matrix_sync(fc, c, ldc, out);
    wmma::fill_fragment(two, from_float<Sum>(2.f));
    wmma::mma_sync(fc, fa, fb, fc);
    for (int e = 0; e < fc.num_elements; ++e) fc.x[e] = fc.x[e] * two.x[e];
    wmma::store_matrix_sync(c, fc, ldc, out);
    __syncwarp();
    for (int i = threadIdx.x; i < M * N; i += 32) {
        float want = float(i % 5);
        for (int k = 0; k < K; ++k) want += to_float(element<T>(i / N, k)) * to_float(element<T>(i % N + 1, k));
        CHECK(to_float(c[out == wmma::mem_row_major ? i / N * ldc + i % N : i % N * ldc + i / N]) == 2 * want);
    }
}

template <int M, int N, class T, class Sum> __device__ void layouts(int* failed) {
    portable<M, N, T, Sum, wmma::row_major, wmma::col_major>(failed, wmma::mem_row_major);
    portable<M, N, T, Sum, wmma::col_major, wmma::row_major>(failed, wmma::mem_row_major);
    portable<M, N, T, Sum, wmma::row_major, wmma::row_major>(failed, wmma::mem_col_major);
    portable<M, N, T, Sum, wmma::col_major, wmma::col_major>(failed, wmma::mem_col_major);
}

extern "C" __global__ void portable_products(int* failed) {
    layouts<16, 16, __half, float>(failed);
    layouts<32, 8, __half, float>(failed);
    layouts<8, 32, __half, float>(failed);
    layouts<16, 16, __half, __half>(failed);
    layouts<16, 16, __nv_bfloat16, float>(failed);
    layouts<32, 8, __nv_bfloat16, float>(failed);
    layouts<8, 32, __nv_bfloat16, float>(failed);
}

template <class T> __device__ void chunk(int* failed) {
    __shared__ __align__(16) T at[8];
    __shared__ __align__(16) float wide[8];
    float in[8], out[8];
    for (int i = 0; i < 8; ++i) in[i] = i - 3.5f;
    store8(at, in);
    load8(at, out);
    for (int i = 0; i < 8; ++i) CHECK(out[i] == in[i] && to_float(at[i]) == in[i]);
    store8(wide, in);
    load8(wide, out);
    for (int i = 0; i < 8; ++i) CHECK(out[i] == in[i]);
    const float2 both = unpack2<T>(pack2<T>(1.5f, -2.f));
    CHECK(both.x == 1.5f && both.y == -2.f);
}

// One thread.
extern "C" __global__ void hints(int* failed) {
    unsigned words[4] = {1, 2, 3, 4};
    CHECK(load_global<STREAMING>(&words[0]) == 1 && load_global<NO_ALLOCATE>(&words[1]) == 2 && load_no_allocate(&words[2]) == 3);
    CHECK(load_global<EVICT_LAST>(&words[0]) == 1 && load_evict_last(&words[1]) == 2 && load_global<IN_PLACE>(&words[2]) == 3 && load_in_place(&words[0]) == 1);
    unsigned kept[2] = {words[0], words[1]};
    forget(kept);
    CHECK(kept[0] == 1 && kept[1] == 2);
    store_global<STREAMING>(&words[3], load_global<CACHED>(&words[0]) + 8);
    CHECK(words[3] == 9 && as_it_is(words[3]) == 9);
    store_before(&words[0], 7u, 1, 2), store_before(&words[1], 7u, 2, 2);
    CHECK(words[0] == 7 && words[1] == 2);
    float pairs[4] = {};
    store_pair_before(pairs, make_float2(1.f, 2.f), -1, 0), store_pair_before(pairs + 2, make_float2(3.f, 4.f), 0, 0);
    CHECK(pairs[0] == 1.f && pairs[1] == 2.f && pairs[2] == 0.f && pairs[3] == 0.f);
    float4 sums = make_float4(1.f, 2.f, 3.f, 4.f);
    add_global(&sums, make_float4(0.5f, 0.f, -1.f, 4.f));
    CHECK(sums.x == 1.5f && sums.y == 2.f && sums.z == 2.f && sums.w == 8.f);
    store_relaxed(&sums, make_float4(0.f, -1.f, 2.f, 9.f));
    const float4 there = load_relaxed(&sums);
    CHECK(there.x == 0.f && there.y == -1.f && there.z == 2.f && there.w == 9.f);
    for (float x = -130.f; x < 20.f; x += 0.37f) {
        const float y = exp2f(x);
        CHECK(exp2_approx(x) == (y < 1.17549435e-38f ? 0.f : y));
        CHECK(x < -126.f ? exp2_fma(x) >= 0.f && exp2_fma(x) <= 0x1p-126f : fabsf(exp2_fma(x) - y) <= 1e-4f * y);
        CHECK(x < -126.f ? exp2_fma_fine(x) >= 0.f && exp2_fma_fine(x) <= 0x1p-126f : fabsf(exp2_fma_fine(x) - y) <= 4e-6f * y);
    }
    CHECK(exp2_fma(0.f) == 1.f && exp2_fma(127.f) == 0x1p127f && exp2_fma(-127.f) == 0.f && exp2_fma(-1.f / 0.f) == 0.f);
    CHECK(exp2_fma_fine(0.f) == 1.f && exp2_fma_fine(-127.f) == 0.f && exp2_fma_fine(-1.f / 0.f) == 0.f);
}

// One thread.
extern "C" __global__ void chunks(int* failed) {
    chunk<__half>(failed);
    chunk<__nv_bfloat16>(failed);
    for (int row = 0; row < 16; ++row) {
        int places = 0;
        for (int c = 0; c < 4; ++c) places |= 1 << swizzle<4>(row, c);
        CHECK(places == 15);
    }
}
