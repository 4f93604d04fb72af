// The device library of the template families. Every template starts with this one include, so
// that a precompiled header serves them all. PTX lives here, behind named functions, and nowhere else.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <darwarp/convert.cuh>
#include <darwarp/cp_async.cuh>
#include <darwarp/exp2.cuh>
#include <darwarp/ldmatrix.cuh>
#include <darwarp/mma.cuh>
#include <darwarp/swizzle.cuh>
#include <darwarp/vec.cuh>
