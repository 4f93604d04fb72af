// The arithmetic of the tensor cores: products are exact in fp32, sums are rounded to fp32. The hardware's
// sums differ from these in the last bits, in an order and with a rounding that NVIDIA does not specify.
#ifndef DW_MATRIX_H
#define DW_MATRIX_H

#include "darwarp/ldmatrix.cuh"
#include "darwarp/mma.cuh"
#include "collective.h"

namespace dw {

typedef float Eight __attribute__((vector_size(32)));

inline Eight eight(const float* p) {
    Eight v;
    memcpy(&v, p, sizeof v);
    return v;
}

// multiply_rows adds a * b to d, four rows by eight columns at a time: as many sums as hide each other's latency.
template <int N>
inline void multiply_rows(float* d, const float* a, const float* b, int m, int k) {
    for (int j = 0; j < N; j += 8)
        for (int i = 0; i < m; i += 4) {
            Eight sum[4];
            for (int r = 0; r < 4; ++r) sum[r] = eight(d + (i + r) * N + j);
            for (int p = 0; p < k; ++p) {
                const Eight row = eight(b + p * N + j);
                for (int r = 0; r < 4; ++r) sum[r] += a[(i + r) * k + p] * row;  // the product is exact: no FMA needed
            }
            for (int r = 0; r < 4; ++r) memcpy(d + (i + r) * N + j, &sum[r], sizeof sum[r]);
        }
}

struct MmaLane {
    void* d;
    const unsigned *a, *b;
};

template <class T>
inline void split(unsigned word, float* out) {
    out[0] = float(T::of(uint16_t(word)));
    out[1] = float(T::of(uint16_t(word >> 16)));
}

// finish_mma: lane l = 4g + t holds, of A, words (g, t) (g+8, t) (g, t+4) (g+8, t+4) of 16 rows of 8 words;
// of B, words t and t+4 of its row g; of D, columns 2t and 2t+1 of rows g and g+8.
template <class T, bool NARROW>
inline void finish_mma(void* const* lanes) {
    float a[16 * 16], b[16 * 8], d[16 * 8];
    for (int l = 0; l < 32; ++l) {
        const MmaLane& lane = *static_cast<const MmaLane*>(lanes[l]);
        const int g = l / 4, t = l % 4 * 2;
        split<T>(lane.a[0], a + g * 16 + t);
        split<T>(lane.a[1], a + (g + 8) * 16 + t);
        split<T>(lane.a[2], a + g * 16 + t + 8);
        split<T>(lane.a[3], a + (g + 8) * 16 + t + 8);
        for (int half = 0; half < 2; ++half) {
            float pair[2];
            split<T>(lane.b[half], pair);
            b[(t + 8 * half) * 8 + g] = pair[0];
            b[(t + 8 * half + 1) * 8 + g] = pair[1];
            if (NARROW) split<T>(static_cast<const unsigned*>(lane.d)[half], d + (g + 8 * half) * 8 + t);
            else memcpy(d + (g + 8 * half) * 8 + t, static_cast<const float*>(lane.d) + 2 * half, 8);
        }
    }
    multiply_rows<8>(d, a, b, 16, 16);
    for (int l = 0; l < 32; ++l) {
        const int g = l / 4, t = l % 4 * 2;
        void* out = static_cast<const MmaLane*>(lanes[l])->d;
        for (int half = 0; half < 2; ++half) {
            const float* v = d + (g + 8 * half) * 8 + t;
            if (NARROW) static_cast<unsigned*>(out)[half] = T(v[0]).bits | unsigned(T(v[1]).bits) << 16;
            else memcpy(static_cast<float*>(out) + 2 * half, v, 8);
        }
    }
}

struct Tf32Lane {
    float* d;
    const float *a, *b;
};

// tf32_of is what a tensor core takes of a float: the lowest 13 bits are not looked at.
inline float tf32_of(float x) { return as<float>(as<uint32_t>(x) & ~0x1fffu); }

// finish_mma_tf32: lane l = 4g + t holds, of A, (g, t) (g+8, t) (g, t+4) (g+8, t+4) of 16 rows of 8; of B, t and t+4 of its row g.
inline void finish_mma_tf32(void* const* lanes) {
    float a[16 * 8], b[8 * 8], d[16 * 8];
    for (int l = 0; l < 32; ++l) {
        const Tf32Lane& lane = *static_cast<const Tf32Lane*>(lanes[l]);
        const int g = l / 4, t = l % 4;
        for (int i = 0; i < 4; ++i) a[(g + i % 2 * 8) * 8 + t + i / 2 * 4] = tf32_of(lane.a[i]);
        for (int i = 0; i < 2; ++i) {
            b[(t + 4 * i) * 8 + g] = tf32_of(lane.b[i]);
            memcpy(d + (g + 8 * i) * 8 + 2 * t, lane.d + 2 * i, 8);
        }
    }
    multiply_rows<8>(d, a, b, 16, 8);
    for (int l = 0; l < 32; ++l)
        for (int i = 0; i < 2; ++i)
            memcpy(static_cast<const Tf32Lane*>(lanes[l])->d + 2 * i, d + (l / 4 + 8 * i) * 8 + l % 4 * 2, 8);
}

struct LoadLane {
    unsigned* const* registers;
    const unsigned* row;
};

inline void finish_ldmatrix(void* const* lanes) {
    for (int l = 0; l < 32; ++l)
        for (int m = 0; m < 4; ++m)
            *static_cast<const LoadLane*>(lanes[l])->registers[m] =
                static_cast<const LoadLane*>(lanes[8 * m + l / 4])->row[l % 4];
}

inline void finish_ldmatrix_trans(void* const* lanes) {
    const auto element = [&](int row, int column) {
        const unsigned word = static_cast<const LoadLane*>(lanes[row])->row[column / 2];
        return column % 2 ? word >> 16 : word & 0xffff;
    };
    for (int l = 0; l < 32; ++l)
        for (int m = 0; m < 4; ++m)
            *static_cast<const LoadLane*>(lanes[l])->registers[m] =
                element(8 * m + l % 4 * 2, l / 4) | element(8 * m + l % 4 * 2 + 1, l / 4) << 16;
}

struct StoreLane {
    unsigned* row;
    unsigned registers[4];
};

inline void finish_stmatrix(void* const* lanes) {
    for (int l = 0; l < 32; ++l)
        for (int m = 0; m < 4; ++m)
            static_cast<const StoreLane*>(lanes[8 * m + l / 4])->row[l % 4] = static_cast<const StoreLane*>(lanes[l])->registers[m];
}

inline void finish_stmatrix_trans(void* const* lanes) {
    for (int l = 0; l < 32; ++l)
        for (int m = 0; m < 4; ++m)
            for (int e = 0; e < 2; ++e) {
                unsigned* row = static_cast<const StoreLane*>(lanes[8 * m + l % 4 * 2 + e])->row;
                const unsigned short element = static_cast<const StoreLane*>(lanes[l])->registers[m] >> 16 * e;
                memcpy(reinterpret_cast<unsigned char*>(row) + l / 4 * 2, &element, 2);
            }
}

}  // namespace dw

void dw_multiply(float* d, const float* a, const float* b, int m, int n, int k) {
    if (n == 8) dw::multiply_rows<8>(d, a, b, m, k);
    else if (n == 16) dw::multiply_rows<16>(d, a, b, m, k);
    else dw::multiply_rows<32>(d, a, b, m, k);
}

void dw_mma_m16n8k16(int kind, void* d, const unsigned* a, const unsigned* b) {
    dw::MmaLane mine{d, a, b};
    void (*const finish[])(void* const*) = {dw::finish_mma<__half, false>, dw::finish_mma<__nv_bfloat16, false>,
                                            dw::finish_mma<__half, true>};
    dw::arrive(~0u, DW_MATRIX, uint64_t(&mine), uint64_t(finish[kind]), __builtin_return_address(0));
}

void dw_mma_m16n8k8_tf32(float* d, const float* a, const float* b) {
    dw::Tf32Lane mine{d, a, b};
    dw::arrive(~0u, DW_MATRIX, uint64_t(&mine), uint64_t(dw::finish_mma_tf32), __builtin_return_address(0));
}

namespace dw {

inline void ldmatrix(unsigned* const* registers, const void* row, void (*finish)(void* const*), const void* site) {
    look(row, 16, READ, site, 16);
    LoadLane mine{registers, static_cast<const unsigned*>(row)};
    arrive(~0u, DW_MATRIX, uint64_t(&mine), uint64_t(finish), site);
}

}  // namespace dw

void dw_ldmatrix_x4(unsigned* const* registers, const void* row) {
    dw::ldmatrix(registers, row, dw::finish_ldmatrix, __builtin_return_address(0));
}

namespace dw {

inline void stmatrix(StoreLane mine, void (*finish)(void* const*), const void* site) {
    look(mine.row, 16, WRITE, site, 16);
    arrive(~0u, DW_MATRIX, uint64_t(&mine), uint64_t(finish), site);
}

}  // namespace dw

void dw_stmatrix_x4(void* row, unsigned a, unsigned b, unsigned c, unsigned d) {
    dw::stmatrix({static_cast<unsigned*>(row), {a, b, c, d}}, dw::finish_stmatrix, __builtin_return_address(0));
}

void dw_stmatrix_x4_trans(void* row, unsigned a, unsigned b, unsigned c, unsigned d) {
    dw::stmatrix({static_cast<unsigned*>(row), {a, b, c, d}}, dw::finish_stmatrix_trans, __builtin_return_address(0));
}

void dw_ldmatrix_x4_trans(unsigned* const* registers, const void* row) {
    dw::ldmatrix(registers, row, dw::finish_ldmatrix_trans, __builtin_return_address(0));
}

#endif
