// The device library of the template families. Every template starts with this one include, so
// that a precompiled header serves them all. PTX lives here, behind named functions, and nowhere else.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <darwarp/approx.cuh>
#include <darwarp/bulk_copy.cuh>
#include <darwarp/bulk_rows.cuh>
#include <darwarp/cluster.cuh>
#include <darwarp/convert.cuh>
#include <darwarp/cp_async.cuh>
#include <darwarp/global.cuh>
#include <darwarp/ldmatrix.cuh>
#include <darwarp/mma.cuh>
#include <darwarp/rows.cuh>
#include <darwarp/staged_rows.cuh>
#include <darwarp/swizzle.cuh>
#include <darwarp/team.cuh>
#include <darwarp/tensor_map.cuh>
#include <darwarp/vec.cuh>
#include <darwarp/words.cuh>
