// __nv_bfloat16 and __nv_bfloat162 under the names of CUDA's cuda_bf16.h.
#ifndef DW_CUDA_BF16_H
#define DW_CUDA_BF16_H

#include "cuda_fp16.h"

using __nv_bfloat16 = dw::Small<dw::Brain>;
using __nv_bfloat162 = dw::Pair<dw::Brain>;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

DW_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, dw::Brain)

#define DW_T __nv_bfloat16
#define DW_T2 __nv_bfloat162
#define DW_FORMAT dw::Brain
#define DW_ATOMIC_ONE DW_ADD_BF16
#define DW_ATOMIC_TWO DW_ADD_BF162
#include "dw/small_float_functions.inc"

#endif
