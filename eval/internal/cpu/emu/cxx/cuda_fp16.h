// __half and __half2 under the names of CUDA's cuda_fp16.h.
#ifndef DW_CUDA_FP16_H
#define DW_CUDA_FP16_H

#include "dw/atomics.h"
#include "dw/small_float.h"
#include "dw/small_float_names.inc"

using __half = dw::Small<dw::Half>;
using __half2 = dw::Pair<dw::Half>;
using half = __half;
using half2 = __half2;

DW_CONVERSIONS(__half, __half2, half, half2, dw::Half)

#define DW_T __half
#define DW_T2 __half2
#define DW_FORMAT dw::Half
#define DW_ATOMIC_ONE DW_ADD_HALF
#define DW_ATOMIC_TWO DW_ADD_HALF2
#include "dw/small_float_functions.inc"

#endif
