// wgmma as the hardware promises it and no better: the sums are poison from when a warpgroup asks until a thread has waited, and
// the operands are read at that wait.
#ifndef DW_DARWARP_WGMMA_CUH
#define DW_DARWARP_WGMMA_CUH

#include "../cuda_fp8.h"
#include "mma.cuh"
#include "bulk_copy.cuh"

// Kinds of operands that are not of 16 bits, beside those of mma.cuh.
enum { DW_WGMMA_TF32 = 8, DW_WGMMA_E4M3 = 16, DW_WGMMA_E5M2 };

DW_RUNTIME unsigned long long dw_wgmma_descriptor(const void* shared, unsigned slab_bytes);
DW_RUNTIME void dw_wgmma_m64k16(int kind, int n, float* sums, unsigned long long a, unsigned long long b, bool add, bool rows_a,
                                bool rows_b);
DW_RUNTIME void dw_wgmma_m64k16_of_rows(int kind, int n, float* sums, const unsigned* a, unsigned long long b);
DW_RUNTIME void dw_wgmma_fence();
DW_RUNTIME void dw_wgmma_commit();
DW_RUNTIME void dw_wgmma_wait(unsigned pending);

namespace darwarp {

template <class T> struct WgmmaKind;
template <> struct WgmmaKind<__half> { static constexpr int value = DW_MMA_F16_F32; };
template <> struct WgmmaKind<__nv_bfloat16> { static constexpr int value = DW_MMA_BF16_F32; };
template <> struct WgmmaKind<__nv_fp8_e4m3> { static constexpr int value = DW_WGMMA_E4M3; };
template <> struct WgmmaKind<__nv_fp8_e5m2> { static constexpr int value = DW_WGMMA_E5M2; };

inline unsigned long long wgmma_descriptor(const void* shared) { return dw_wgmma_descriptor(shared, 16); }
inline unsigned long long wgmma_descriptor_of_rows(const void* shared, unsigned slab_bytes) { return dw_wgmma_descriptor(shared, slab_bytes); }

template <class T, int N, bool ROWS_OF_A, bool ROWS_OF_B>
inline void wgmma_m64k16_orders(float (&sums)[N / 2], unsigned long long a, unsigned long long b, bool add) {
    static_assert(N % 8 == 0 && N >= 8 && N <= 256, "wgmma: N is a multiple of 8 up to 256");
    static_assert(!ROWS_OF_B || N % 64 == 0, "wgmma: B of rows has slabs of 64 columns");
    dw_wgmma_m64k16(WgmmaKind<T>::value, N, sums, a, b, add, ROWS_OF_A, ROWS_OF_B);
}

template <class T, int N>
inline void wgmma_m64k16(float (&sums)[N / 2], unsigned long long a, unsigned long long b, bool add) {
    wgmma_m64k16_orders<T, N, false, false>(sums, a, b, add);
}

// Of eight bits there are 32 in the bytes of 16 others.
template <class F, int N>
inline void wgmma_m64k32(float (&sums)[N / 2], unsigned long long a, unsigned long long b, bool add) {
    static_assert(sizeof(F) == 1 && WgmmaKind<F>::value >= DW_WGMMA_E4M3, "wgmma: elements of eight bits");
    wgmma_m64k16<F, N>(sums, a, b, add);
}

template <class T, int N>
inline void wgmma_m64k16_of_rows(float (&sums)[N / 2], const unsigned (&a)[4], unsigned long long b) {
    static_assert(N % 8 == 0 && N >= 8 && N <= 256, "wgmma: N is a multiple of 8 up to 256");
    dw_wgmma_m64k16_of_rows(WgmmaKind<T>::value, N, sums, a, b);
}

template <int BANKS, int N>
struct HeldSums {
    float sums[BANKS][N / 2];

    template <class T, int BANK, bool ROWS_OF_A = false, bool ROWS_OF_B = false>
    void multiply(unsigned long long a, unsigned long long b, bool add) {
        static_assert(BANK < BANKS, "HeldSums: no such bank");
        wgmma_m64k16_orders<T, N, ROWS_OF_A, ROWS_OF_B>(sums[BANK], a, b, add);
    }
    // Of floats there are 8 in the bytes of 16 others.
    template <int BANK>
    void multiply_tf32(unsigned long long a, unsigned long long b, bool add) {
        static_assert(BANK < BANKS, "HeldSums: no such bank");
        static_assert(N % 64 == 0 && N >= 64 && N <= 256, "wgmma: of tf32 the library has 64, 128, 192 and 256 columns");
        dw_wgmma_m64k16(DW_WGMMA_TF32, N, sums[BANK], a, b, add, false, false);
    }
    template <int BANK>
    void take(float (&to)[N / 2]) {
        for (int i = 0; i < N / 2; ++i) to[i] = sums[BANK][i];
    }
};

inline void wgmma_fence() { dw_wgmma_fence(); }
inline void wgmma_commit() { dw_wgmma_commit(); }

template <int PENDING>
inline void wgmma_wait() {
    dw_wgmma_wait(PENDING);
}

// What concerns registers and the order of instructions has no meaning here.
template <int N> inline void compute_before(float (&)[N]) {}
template <int N> inline void registers_give() {}
template <int N> inline void registers_take() {}

}  // namespace darwarp

#endif
