// mma.sync m16n8k16: the fragments lie in the lanes as the PTX ISA says ("Matrix Fragments for mma.m16n8k16").
#ifndef DW_DARWARP_MMA_CUH
#define DW_DARWARP_MMA_CUH

#include "../mma.h"

// Kinds of the operands: fp16 with fp32 sums, bf16 with fp32 sums, fp16 with fp16 sums.
enum { DW_MMA_F16_F32, DW_MMA_BF16_F32, DW_MMA_F16_F16 };
DW_RUNTIME void dw_mma_m16n8k16(int kind, void* d, const unsigned* a, const unsigned* b);

DW_RUNTIME void dw_mma_m16n8k8_tf32(float* d, const float* a, const float* b);

namespace darwarp {

inline void mma_m16n8k8_tf32(float (&d)[4], const float (&a)[4], const float (&b)[2]) { dw_mma_m16n8k8_tf32(d, a, b); }

template <class T>
inline void mma_m16n8k16(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]);

template <>
inline void mma_m16n8k16<__half>(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    dw_mma_m16n8k16(DW_MMA_F16_F32, d, a, b);
}

template <>
inline void mma_m16n8k16<__nv_bfloat16>(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    dw_mma_m16n8k16(DW_MMA_BF16_F32, d, a, b);
}

template <class T>
inline void mma_m16n8k16(unsigned (&d)[2], const unsigned (&a)[4], const unsigned (&b)[2]);

template <>
inline void mma_m16n8k16<__half>(unsigned (&d)[2], const unsigned (&a)[4], const unsigned (&b)[2]) {
    dw_mma_m16n8k16(DW_MMA_F16_F16, d, a, b);
}

}  // namespace darwarp

#endif
