// ldmatrix: lane l points at row l%8 of matrix l/8, and receives elements 2*(l%4) and 2*(l%4)+1 of row l/4
// of each matrix; with .trans, of column l/4 (PTX ISA, "ldmatrix").
#ifndef DW_DARWARP_LDMATRIX_CUH
#define DW_DARWARP_LDMATRIX_CUH

#include "cp_async.cuh"

DW_RUNTIME void dw_ldmatrix_x4(unsigned* const* registers, const void* row);
DW_RUNTIME void dw_ldmatrix_x4_trans(unsigned* const* registers, const void* row);
DW_RUNTIME void dw_stmatrix_x4(void* row, unsigned a, unsigned b, unsigned c, unsigned d);
DW_RUNTIME void dw_stmatrix_x4_trans(void* row, unsigned a, unsigned b, unsigned c, unsigned d);

namespace darwarp {

inline void ldmatrix_x4(unsigned& r0, unsigned& r1, unsigned& r2, unsigned& r3, const void* row) {
    unsigned* const registers[4] = {&r0, &r1, &r2, &r3};
    dw_ldmatrix_x4(registers, row);
}

inline void ldmatrix_x4_trans(unsigned& r0, unsigned& r1, unsigned& r2, unsigned& r3, const void* row) {
    unsigned* const registers[4] = {&r0, &r1, &r2, &r3};
    dw_ldmatrix_x4_trans(registers, row);
}

// stmatrix is the other way round: register i of lane l goes to where lane 8*i + l/4 points, its elements 2*(l%4) and 2*(l%4)+1.
inline void stmatrix_x4(void* row, unsigned a, unsigned b, unsigned c, unsigned d) { dw_stmatrix_x4(row, a, b, c, d); }
inline void stmatrix_x4_trans(void* row, unsigned a, unsigned b, unsigned c, unsigned d) { dw_stmatrix_x4_trans(row, a, b, c, d); }

}  // namespace darwarp

#endif
