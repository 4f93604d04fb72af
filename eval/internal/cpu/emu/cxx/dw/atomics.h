// Atomics. All of them are one call into the runtime, which also lets other threads run now and then: a
// spin on atomicCAS would otherwise wait for a thread that never gets its turn.
#ifndef DW_ATOMICS_H
#define DW_ATOMICS_H

#include "warp.h"

enum DwAtomic : int {
    DW_ADD, DW_SUB, DW_EXCH, DW_CAS, DW_AND, DW_OR, DW_XOR, DW_INC, DW_DEC, DW_MIN_S, DW_MIN_U, DW_MAX_S, DW_MAX_U,
    DW_ADD_FLOAT, DW_ADD_HALF2, DW_ADD_HALF, DW_ADD_BF162, DW_ADD_BF16,
};

// Does the operation on `size` bytes (2, 4 or 8) at p and returns what was there.
DW_RUNTIME uint64_t dw_atomic(int op, int size, void* p, uint64_t value, uint64_t compare);

#define DW_ATOMIC(NAME, OP, T)                                                                        \
    inline T NAME(T* p, T v) { return dw::of_bits<T>(dw_atomic(OP, sizeof(T), p, dw::bits_of(v), 0)); } \
    inline T NAME##_block(T* p, T v) { return NAME(p, v); }                                           \
    inline T NAME##_system(T* p, T v) { return NAME(p, v); }
#define DW_ATOMIC_BITS(NAME, OP)                                                                      \
    DW_ATOMIC(NAME, OP, int) DW_ATOMIC(NAME, OP, unsigned) DW_ATOMIC(NAME, OP, unsigned long long)

DW_ATOMIC_BITS(atomicAdd, DW_ADD)
DW_ATOMIC(atomicAdd, DW_ADD_FLOAT, float)
DW_ATOMIC(atomicAdd, DW_ADD_FLOAT, double)
DW_ATOMIC(atomicSub, DW_SUB, int)
DW_ATOMIC(atomicSub, DW_SUB, unsigned)
DW_ATOMIC_BITS(atomicExch, DW_EXCH)
DW_ATOMIC(atomicExch, DW_EXCH, float)
DW_ATOMIC_BITS(atomicAnd, DW_AND)
DW_ATOMIC_BITS(atomicOr, DW_OR)
DW_ATOMIC_BITS(atomicXor, DW_XOR)
DW_ATOMIC(atomicInc, DW_INC, unsigned)
DW_ATOMIC(atomicDec, DW_DEC, unsigned)
DW_ATOMIC(atomicMin, DW_MIN_S, int)
DW_ATOMIC(atomicMin, DW_MIN_S, long long)
DW_ATOMIC(atomicMin, DW_MIN_U, unsigned)
DW_ATOMIC(atomicMin, DW_MIN_U, unsigned long long)
DW_ATOMIC(atomicMax, DW_MAX_S, int)
DW_ATOMIC(atomicMax, DW_MAX_S, long long)
DW_ATOMIC(atomicMax, DW_MAX_U, unsigned)
DW_ATOMIC(atomicMax, DW_MAX_U, unsigned long long)
#undef DW_ATOMIC_BITS

#define DW_ATOMIC_CAS(T)                                                                            \
    inline T atomicCAS(T* p, T compare, T v) {                                                      \
        return dw::of_bits<T>(dw_atomic(DW_CAS, sizeof(T), p, dw::bits_of(v), dw::bits_of(compare))); \
    }
DW_ATOMIC_CAS(int)
DW_ATOMIC_CAS(unsigned)
DW_ATOMIC_CAS(unsigned long long)
DW_ATOMIC_CAS(unsigned short)
#undef DW_ATOMIC_CAS

#endif
