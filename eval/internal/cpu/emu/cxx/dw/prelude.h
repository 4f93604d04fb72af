// What every source sees before its first line: what NVRTC has built in, and the device library, so that
// one precompiled header holds everything.
#ifndef DW_PRELUDE_H
#define DW_PRELUDE_H

#include "math.h"
#include "block.h"
#include "warp.h"
#include "atomics.h"
#include "memory.h"

#include <mma.h>

inline long clock() { return long(dw_nanoseconds()); }  // not in block.h: the runtime knows another clock()

// From here on inline PTX is refused: what it says is meant for another processor. That goes for the parts of
// the device library that have no counterpart here, too.
#pragma GCC poison asm __asm __asm__

#include <darwarp/darwarp.cuh>

#include "fast.h"

// The runtime is compiled once; it asks here whether this object's accesses are looked at, and how well.
extern "C" {
#ifdef DW_CHECKED
extern __attribute__((visibility("hidden"))) const int dw_checked_build;
#ifdef DW_VOLATILE  // the compiler tells volatile accesses from others
const int dw_checked_build = 2;
#else
const int dw_checked_build = 1;
#endif
#else
extern __attribute__((visibility("hidden"))) const int dw_checked_build;
const int dw_checked_build = 0;
#endif
}

#endif
