// A chunk is 16 bytes: eight 16-bit values, the widest single access of a thread. These helpers move
// runs of neighbouring values between float registers and memory. `p` must be aligned to the run.
#pragma once

#include <darwarp/convert.cuh>
#include <darwarp/global.cuh>

namespace darwarp {

constexpr int CHUNK = 8;  // 16-bit elements in 16 bytes

// store_pair writes two neighbouring values with one instruction.
template <class Out>
__device__ __forceinline__ void store_pair(Out* p, float2 v) {
    *reinterpret_cast<unsigned*>(p) = pack2<Out>(v.x, v.y);
}
__device__ __forceinline__ void store_pair(float* p, float2 v) { *reinterpret_cast<float2*>(p) = v; }

// store_pair_before is the same where `at` is before `end`, to global memory.
template <class Out>
__device__ __forceinline__ void store_pair_before(Out* p, float2 v, int at, int end) {
    store_before(reinterpret_cast<unsigned*>(p), pack2<Out>(v.x, v.y), at, end);
}
__device__ __forceinline__ void store_pair_before(float* p, float2 v, int at, int end) {
    store_before(reinterpret_cast<uint2*>(p), make_uint2(__float_as_uint(v.x), __float_as_uint(v.y)), at, end);
}

// store8 writes a chunk of eight values: one 16-byte store, or two for float.
template <class Out>
__device__ __forceinline__ void store8(Out* p, const float (&v)[8]) {
    *reinterpret_cast<uint4*>(p) = make_uint4(pack2<Out>(v[0], v[1]), pack2<Out>(v[2], v[3]),
                                              pack2<Out>(v[4], v[5]), pack2<Out>(v[6], v[7]));
}
__device__ __forceinline__ void store8(float* p, const float (&v)[8]) {
    reinterpret_cast<float4*>(p)[0] = make_float4(v[0], v[1], v[2], v[3]);
    reinterpret_cast<float4*>(p)[1] = make_float4(v[4], v[5], v[6], v[7]);
}

// unpack8 widens the eight values of a chunk.
template <class T>
__device__ __forceinline__ void unpack8(const uint4& chunk, float (&v)[8]) {
    const unsigned word[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
    #pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float2 pair = unpack2<T>(word[i]);
        v[2 * i] = pair.x;
        v[2 * i + 1] = pair.y;
    }
}

// load4 reads half a chunk and widens it.
template <class T>
__device__ __forceinline__ void load4(const T* p, float (&v)[4]) {
    const uint2 half = *reinterpret_cast<const uint2*>(p);
    const float2 lo = unpack2<T>(half.x), hi = unpack2<T>(half.y);
    v[0] = lo.x, v[1] = lo.y, v[2] = hi.x, v[3] = hi.y;
}

// load8 reads a chunk and widens it.
template <class T>
__device__ __forceinline__ void load8(const T* p, float (&v)[8]) {
    unpack8<T>(*reinterpret_cast<const uint4*>(p), v);
}
__device__ __forceinline__ void load8(const float* p, float (&v)[8]) {
    const float4 lo = reinterpret_cast<const float4*>(p)[0], hi = reinterpret_cast<const float4*>(p)[1];
    v[0] = lo.x, v[1] = lo.y, v[2] = lo.z, v[3] = lo.w;
    v[4] = hi.x, v[5] = hi.y, v[6] = hi.z, v[7] = hi.w;
}

// load8_l2 reads eight floats past the L1 cache, which may hold what another block has since overwritten.
__device__ __forceinline__ void load8_l2(const float* p, float (&v)[8]) {
    const float4 lo = __ldcg(reinterpret_cast<const float4*>(p));
    const float4 hi = __ldcg(reinterpret_cast<const float4*>(p) + 1);
    v[0] = lo.x, v[1] = lo.y, v[2] = lo.z, v[3] = lo.w;
    v[4] = hi.x, v[5] = hi.y, v[6] = hi.z, v[7] = hi.w;
}

}  // namespace darwarp
