// XOR swizzle of a shared-memory tile whose rows are CHUNKS chunks of 16 bytes (a power of two).
// Shared memory serves 128 bytes at a time. The rows that share a 128-byte line already lie side by
// side; of the others, eight neighbours that are read at the same column would hit the same banks.
// XOR with the number of the line spreads them over all eight places of a line, so both the row-wise
// writes of a copy and the column-wise reads of ldmatrix are free of conflicts, with no padding.
#pragma once

namespace darwarp {

// swizzle returns the place of chunk `chunk` in row `row`: a permutation within the row.
template <int CHUNKS>
__device__ __forceinline__ constexpr int swizzle(int row, int chunk) {
    constexpr int LINE = 8;                                         // chunks in 128 bytes
    constexpr int ROWS_PER_LINE = CHUNKS < LINE ? LINE / CHUNKS : 1;
    constexpr int PLACES = CHUNKS < LINE ? CHUNKS : LINE;           // places a chunk can move to
    return chunk ^ (row / ROWS_PER_LINE % PLACES);
}

}  // namespace darwarp
