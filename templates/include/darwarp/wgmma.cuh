// wgmma (sm_90a): a warpgroup, four warps of which the first is a multiple of four, multiplies out of shared memory while it goes on.
// PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".
//
// Operands lie in shared memory as a tensor map brings them: slabs of rows of 64 elements (128 bytes) with the swizzle of 128 bytes, chunk
// c of 16 bytes of row r at swizzle<8>(r, c).
// Sums: thread t has in sums[4 * j + 2 * i + e] the one of row 16 * (t / 32) + t % 32 / 4 + 8 * i and column 8 * j + 2 * (t % 4) + e.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <darwarp/cp_async.cuh>

namespace darwarp {

// wgmma_descriptor says where an operand begins whose rows run along k: at a multiple of 1024 bytes, or of 32 bytes into such a
// row. Bits 0 to 13 are the address, 16 to 29 an offset that this layout does not use, 32 to 45 that from eight rows to the next
// eight, all in units of 16 bytes; 62 and 63 are the swizzle. Adding 2 goes 16 elements on along k, adding 512 goes 64 rows on.
constexpr unsigned long long SWIZZLED_128 = 1ull << 62, EIGHT_ROWS = 64ull << 32;
__device__ __forceinline__ unsigned long long wgmma_descriptor(const void* shared) {
    return SWIZZLED_128 | EIGHT_ROWS | 1ull << 16 | (shared_address(shared) & 0x3ffffu) >> 4;
}

// wgmma_descriptor_of_rows is the same for an operand with a row for each k; bits 16 to 29 are the offset from a slab of 64
// columns to the next, slab_bytes. Adding 128 goes 16 rows on, along k.
__device__ __forceinline__ unsigned long long wgmma_descriptor_of_rows(const void* shared, unsigned slab_bytes) {
    return SWIZZLED_128 | EIGHT_ROWS | (unsigned long long)(slab_bytes >> 4) << 16 | (shared_address(shared) & 0x3ffffu) >> 4;
}

// wgmma_fence comes before the first wgmma, and before one whose sums were touched since. wgmma_commit makes a group of those
// asked for; wgmma_wait returns when all but the newest PENDING groups are done: their sums can be read, and their operands overwritten.
__device__ __forceinline__ void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory"); }
__device__ __forceinline__ void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory"); }
template <int PENDING>
__device__ __forceinline__ void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(PENDING) : "memory");
}

// compute_before has values computed before what comes after it, such as a wait: the compiler sees no reason to, since arithmetic
// has no part in the order of memory.
template <int N>
__device__ __forceinline__ void compute_before(float (&values)[N]) {
    #pragma unroll
    for (float& v : values) asm volatile("" : "+f"(v)::"memory");
}

// registers_give and registers_take change how many registers each thread of a warpgroup has, all four warps together: the one
// that copies needs few, those that multiply need many. N is a multiple of 8; taking waits until others have given.
template <int N>
__device__ __forceinline__ void registers_give() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(N));
}
template <int N>
__device__ __forceinline__ void registers_take() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(N));
}

// WgmmaOrders is the multiplication below for T and N, with operands of either order.
template <class T, int N>
struct WgmmaOrders;

// WgmmaTf32 is that of N columns for tf32.
template <int N>
struct WgmmaTf32;

// wgmma_m64k16 asks for sums (+)= A * B^T of 64 rows of A, N rows of B and 16 elements of k. Without `add` the sums begin anew.
template <class T, int N>
__device__ __forceinline__ void wgmma_m64k16(float (&sums)[N / 2], unsigned long long a, unsigned long long b, bool add) {
    WgmmaOrders<T, N>::template multiply<false, false>(sums, a, b, add);
}

// wgmma_m64k16_orders is the same for operands of which either may have a row for each k (wgmma_descriptor_of_rows).
template <class T, int N, bool ROWS_OF_A, bool ROWS_OF_B>
__device__ __forceinline__ void wgmma_m64k16_orders(float (&sums)[N / 2], unsigned long long a, unsigned long long b, bool add) {
    WgmmaOrders<T, N>::template multiply<ROWS_OF_A, ROWS_OF_B>(sums, a, b, add);
}

// HeldSums are the sums of BANKS products of N columns, in registers that only PTX has names for. One lies at the beginning of what a
// warpgroup does, outside of loops: a statement that the compiler copies would declare its names twice. An array is 128 values that each
// asm statement reads and writes and that the loop carries, and to keep track of them takes the compiler longer than all else of such a
// kernel; the machine code is the same. Two cannot be in one kernel.
template <int BANKS, int N>
struct HeldSums {
    __device__ __forceinline__ HeldSums() { declare<0>(); }

    // multiply asks for a product as wgmma_m64k16_orders does, whose sums are those of a bank.
    template <class T, int BANK, bool ROWS_OF_A = false, bool ROWS_OF_B = false>
    __device__ __forceinline__ void multiply(unsigned long long a, unsigned long long b, bool add) {
        static_assert(BANK < BANKS, "HeldSums: no such bank");
        WgmmaOrders<T, N>::template multiply_held<BANK, ROWS_OF_A, ROWS_OF_B>(a, b, add);
    }

    // multiply_tf32 is the same for 8 elements of k in floats, each with its rows along k (PTX ISA: no other order for .tf32). These are as
    // many bytes as 16 of 16 bits, so a slab of rows of 128 bytes has 32 of them, and adding 2 to a descriptor goes 8 on along k. The
    // lowest 13 bits of a float are not looked at: who wants them rounded does it before (to_tf32).
    template <int BANK>
    __device__ __forceinline__ void multiply_tf32(unsigned long long a, unsigned long long b, bool add) {
        static_assert(BANK < BANKS, "HeldSums: no such bank");
        WgmmaTf32<N>::template multiply_held<BANK>(a, b, add);
    }

    // take reads a bank after wgmma_wait, eight sums at a time.
    template <int BANK, int FIRST = 0>
    __device__ __forceinline__ void take(float (&sums)[N / 2]) {
        if constexpr (FIRST < N / 2) {
            asm volatile(
                "mov.f32 %0, held%8_%9;\n  mov.f32 %1, held%8_%10;\n  mov.f32 %2, held%8_%11;\n  mov.f32 %3, held%8_%12;\n"
                "mov.f32 %4, held%8_%13;\n  mov.f32 %5, held%8_%14;\n  mov.f32 %6, held%8_%15;\n  mov.f32 %7, held%8_%16;\n"
                : "=f"(sums[FIRST]), "=f"(sums[FIRST + 1]), "=f"(sums[FIRST + 2]), "=f"(sums[FIRST + 3]), "=f"(sums[FIRST + 4]),
                  "=f"(sums[FIRST + 5]), "=f"(sums[FIRST + 6]), "=f"(sums[FIRST + 7])
                : "n"(BANK), "n"(FIRST), "n"(FIRST + 1), "n"(FIRST + 2), "n"(FIRST + 3), "n"(FIRST + 4), "n"(FIRST + 5), "n"(FIRST + 6),
                  "n"(FIRST + 7));
            take<BANK, FIRST + 8>(sums);
        }
    }

private:
    template <int BANK>
    __device__ __forceinline__ static void declare() {
        if constexpr (BANK < BANKS) {
            asm volatile(".reg .f32 held%0_<%1>;\n" ::"n"(BANK), "n"(N / 2));  // held0_0, held0_1, ...
            declare<BANK + 1>();
        }
    }
};

// wgmma_m64k16_of_rows asks for sums += A * B with A in registers, as mma_m16n8k16 has it for the 16 rows of each warp
// (darwarp/mma.cuh), and 16 rows of B, one for each k (wgmma_descriptor_of_rows), of N columns. The last slab
// may have more.
template <class T, int N>
__device__ __forceinline__ void wgmma_m64k16_of_rows(float (&sums)[N / 2], const unsigned (&a)[4], unsigned long long b);

// wgmma_m64k32 is wgmma_m64k16 for 32 elements of eight bits, __nv_fp8_e4m3 or __nv_fp8_e5m2: as many bytes, so adding 2 to a
// descriptor goes 32 elements on along k. Its adder aligns products and sum to the largest of them and cuts off 13 bits
// below its leading one: what should be as good as fp32 is added to fp32 registers after some hundred terms.
template <class F, int N>
__device__ __forceinline__ void wgmma_m64k32(float (&sums)[N / 2], unsigned long long a, unsigned long long b, bool add);

// The registers of an asm statement must be written out: eight for every 16 columns.
#define DARWARP_REGISTERS_16 "%0, %1, %2, %3, %4, %5, %6, %7"
#define DARWARP_REGISTERS_32 DARWARP_REGISTERS_16 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define DARWARP_REGISTERS_48 DARWARP_REGISTERS_32 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define DARWARP_REGISTERS_64 DARWARP_REGISTERS_48 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define DARWARP_REGISTERS_80 DARWARP_REGISTERS_64 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define DARWARP_REGISTERS_96 DARWARP_REGISTERS_80 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define DARWARP_REGISTERS_112 DARWARP_REGISTERS_96 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define DARWARP_REGISTERS_128 DARWARP_REGISTERS_112 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define DARWARP_REGISTERS_144 DARWARP_REGISTERS_128 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define DARWARP_REGISTERS_160 DARWARP_REGISTERS_144 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define DARWARP_REGISTERS_176 DARWARP_REGISTERS_160 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define DARWARP_REGISTERS_192 DARWARP_REGISTERS_176 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define DARWARP_REGISTERS_208 DARWARP_REGISTERS_192 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define DARWARP_REGISTERS_224 DARWARP_REGISTERS_208 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define DARWARP_REGISTERS_240 DARWARP_REGISTERS_224 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define DARWARP_REGISTERS_256 DARWARP_REGISTERS_240 ", %120, %121, %122, %123, %124, %125, %126, %127"
#define DARWARP_SUMS_16 "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]), "+f"(sums[7])
#define DARWARP_SUMS_32 DARWARP_SUMS_16, "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]), "+f"(sums[12]), "+f"(sums[13]), "+f"(sums[14]), "+f"(sums[15])
#define DARWARP_SUMS_48 DARWARP_SUMS_32, "+f"(sums[16]), "+f"(sums[17]), "+f"(sums[18]), "+f"(sums[19]), "+f"(sums[20]), "+f"(sums[21]), "+f"(sums[22]), "+f"(sums[23])
#define DARWARP_SUMS_64 DARWARP_SUMS_48, "+f"(sums[24]), "+f"(sums[25]), "+f"(sums[26]), "+f"(sums[27]), "+f"(sums[28]), "+f"(sums[29]), "+f"(sums[30]), "+f"(sums[31])
#define DARWARP_SUMS_80 DARWARP_SUMS_64, "+f"(sums[32]), "+f"(sums[33]), "+f"(sums[34]), "+f"(sums[35]), "+f"(sums[36]), "+f"(sums[37]), "+f"(sums[38]), "+f"(sums[39])
#define DARWARP_SUMS_96 DARWARP_SUMS_80, "+f"(sums[40]), "+f"(sums[41]), "+f"(sums[42]), "+f"(sums[43]), "+f"(sums[44]), "+f"(sums[45]), "+f"(sums[46]), "+f"(sums[47])
#define DARWARP_SUMS_112 DARWARP_SUMS_96, "+f"(sums[48]), "+f"(sums[49]), "+f"(sums[50]), "+f"(sums[51]), "+f"(sums[52]), "+f"(sums[53]), "+f"(sums[54]), "+f"(sums[55])
#define DARWARP_SUMS_128 DARWARP_SUMS_112, "+f"(sums[56]), "+f"(sums[57]), "+f"(sums[58]), "+f"(sums[59]), "+f"(sums[60]), "+f"(sums[61]), "+f"(sums[62]), "+f"(sums[63])
#define DARWARP_SUMS_144 DARWARP_SUMS_128, "+f"(sums[64]), "+f"(sums[65]), "+f"(sums[66]), "+f"(sums[67]), "+f"(sums[68]), "+f"(sums[69]), "+f"(sums[70]), "+f"(sums[71])
#define DARWARP_SUMS_160 DARWARP_SUMS_144, "+f"(sums[72]), "+f"(sums[73]), "+f"(sums[74]), "+f"(sums[75]), "+f"(sums[76]), "+f"(sums[77]), "+f"(sums[78]), "+f"(sums[79])
#define DARWARP_SUMS_176 DARWARP_SUMS_160, "+f"(sums[80]), "+f"(sums[81]), "+f"(sums[82]), "+f"(sums[83]), "+f"(sums[84]), "+f"(sums[85]), "+f"(sums[86]), "+f"(sums[87])
#define DARWARP_SUMS_192 DARWARP_SUMS_176, "+f"(sums[88]), "+f"(sums[89]), "+f"(sums[90]), "+f"(sums[91]), "+f"(sums[92]), "+f"(sums[93]), "+f"(sums[94]), "+f"(sums[95])
#define DARWARP_SUMS_208 DARWARP_SUMS_192, "+f"(sums[96]), "+f"(sums[97]), "+f"(sums[98]), "+f"(sums[99]), "+f"(sums[100]), "+f"(sums[101]), "+f"(sums[102]), "+f"(sums[103])
#define DARWARP_SUMS_224 DARWARP_SUMS_208, "+f"(sums[104]), "+f"(sums[105]), "+f"(sums[106]), "+f"(sums[107]), "+f"(sums[108]), "+f"(sums[109]), "+f"(sums[110]), "+f"(sums[111])
#define DARWARP_SUMS_240 DARWARP_SUMS_224, "+f"(sums[112]), "+f"(sums[113]), "+f"(sums[114]), "+f"(sums[115]), "+f"(sums[116]), "+f"(sums[117]), "+f"(sums[118]), "+f"(sums[119])
#define DARWARP_SUMS_256 DARWARP_SUMS_240, "+f"(sums[120]), "+f"(sums[121]), "+f"(sums[122]), "+f"(sums[123]), "+f"(sums[124]), "+f"(sums[125]), "+f"(sums[126]), "+f"(sums[127])

// Those of HeldSums, whose bank is the fourth operand.
#define DARWARP_HELD_16 "held%3_0, held%3_1, held%3_2, held%3_3, held%3_4, held%3_5, held%3_6, held%3_7"
#define DARWARP_HELD_32 DARWARP_HELD_16 ", held%3_8, held%3_9, held%3_10, held%3_11, held%3_12, held%3_13, held%3_14, held%3_15"
#define DARWARP_HELD_48 DARWARP_HELD_32 ", held%3_16, held%3_17, held%3_18, held%3_19, held%3_20, held%3_21, held%3_22, held%3_23"
#define DARWARP_HELD_64 DARWARP_HELD_48 ", held%3_24, held%3_25, held%3_26, held%3_27, held%3_28, held%3_29, held%3_30, held%3_31"
#define DARWARP_HELD_80 DARWARP_HELD_64 ", held%3_32, held%3_33, held%3_34, held%3_35, held%3_36, held%3_37, held%3_38, held%3_39"
#define DARWARP_HELD_96 DARWARP_HELD_80 ", held%3_40, held%3_41, held%3_42, held%3_43, held%3_44, held%3_45, held%3_46, held%3_47"
#define DARWARP_HELD_112 DARWARP_HELD_96 ", held%3_48, held%3_49, held%3_50, held%3_51, held%3_52, held%3_53, held%3_54, held%3_55"
#define DARWARP_HELD_128 DARWARP_HELD_112 ", held%3_56, held%3_57, held%3_58, held%3_59, held%3_60, held%3_61, held%3_62, held%3_63"
#define DARWARP_HELD_144 DARWARP_HELD_128 ", held%3_64, held%3_65, held%3_66, held%3_67, held%3_68, held%3_69, held%3_70, held%3_71"
#define DARWARP_HELD_160 DARWARP_HELD_144 ", held%3_72, held%3_73, held%3_74, held%3_75, held%3_76, held%3_77, held%3_78, held%3_79"
#define DARWARP_HELD_176 DARWARP_HELD_160 ", held%3_80, held%3_81, held%3_82, held%3_83, held%3_84, held%3_85, held%3_86, held%3_87"
#define DARWARP_HELD_192 DARWARP_HELD_176 ", held%3_88, held%3_89, held%3_90, held%3_91, held%3_92, held%3_93, held%3_94, held%3_95"
#define DARWARP_HELD_208 DARWARP_HELD_192 ", held%3_96, held%3_97, held%3_98, held%3_99, held%3_100, held%3_101, held%3_102, held%3_103"
#define DARWARP_HELD_224 DARWARP_HELD_208 ", held%3_104, held%3_105, held%3_106, held%3_107, held%3_108, held%3_109, held%3_110, held%3_111"
#define DARWARP_HELD_240 DARWARP_HELD_224 ", held%3_112, held%3_113, held%3_114, held%3_115, held%3_116, held%3_117, held%3_118, held%3_119"
#define DARWARP_HELD_256 DARWARP_HELD_240 ", held%3_120, held%3_121, held%3_122, held%3_123, held%3_124, held%3_125, held%3_126, held%3_127"

#define DARWARP_WGMMA_8(N, TYPE, NAME, A, B, ADD)                                                                      \
    template <>                                                                                                        \
    __device__ __forceinline__ void wgmma_m64k32<TYPE, N>(float (&sums)[N / 2], unsigned long long a, unsigned long long b, bool add) { \
        asm volatile(                                                                                                  \
            "{\n"                                                                                                      \
            "  .reg .pred keep;\n"                                                                                     \
            "  setp.ne.b32 keep, " ADD ", 0;\n"                                                                        \
            "  wgmma.mma_async.sync.aligned.m64n" #N "k32.f32." NAME "." NAME " {" DARWARP_REGISTERS_##N "}, " A ", " B ", keep, 1, 1;\n" \
            "}\n"                                                                                                      \
            : DARWARP_SUMS_##N                                                                                         \
            : "l"(a), "l"(b), "r"(int(add)));                                                                          \
    }
#define DARWARP_WGMMA(N, TYPE, NAME, A, B, ADD, ROWS_A, ROWS_B)                                                        \
    template <>                                                                                                        \
    struct WgmmaOrders<TYPE, N> {                                                                                      \
        template <bool ROWS_OF_A, bool ROWS_OF_B>                                                                      \
        __device__ __forceinline__ static void multiply(float (&sums)[N / 2], unsigned long long a, unsigned long long b, bool add) { \
            asm volatile(                                                                                              \
                "{\n"                                                                                                  \
                "  .reg .pred keep;\n"                                                                                 \
                "  setp.ne.b32 keep, " ADD ", 0;\n"                                                                    \
                "  wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." NAME "." NAME " {" DARWARP_REGISTERS_##N "}, " A ", " B ", keep, 1, 1, " ROWS_A ", " ROWS_B ";\n" \
                "}\n"                                                                                                  \
                : DARWARP_SUMS_##N                                                                                     \
                : "l"(a), "l"(b), "r"(int(add)), "n"(int(ROWS_OF_A)), "n"(int(ROWS_OF_B)));                            \
        }                                                                                                              \
        template <int BANK, bool ROWS_OF_A, bool ROWS_OF_B>                                                            \
        __device__ __forceinline__ static void multiply_held(unsigned long long a, unsigned long long b, bool add) {   \
            asm volatile(                                                                                              \
                "{\n"                                                                                                  \
                "  .reg .pred keep;\n"                                                                                 \
                "  setp.ne.b32 keep, %2, 0;\n"                                                                         \
                "  wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." NAME "." NAME " {" DARWARP_HELD_##N "}, %0, %1, keep, 1, 1, %4, %5;\n" \
                "}\n"                                                                                                  \
                ::"l"(a), "l"(b), "r"(int(add)), "n"(BANK), "n"(int(ROWS_OF_A)), "n"(int(ROWS_OF_B)));                 \
        }                                                                                                              \
    };
#define DARWARP_WGMMA_TF32(N)                                                                                          \
    template <>                                                                                                        \
    struct WgmmaTf32<N> {                                                                                              \
        template <int BANK>                                                                                            \
        __device__ __forceinline__ static void multiply_held(unsigned long long a, unsigned long long b, bool add) {   \
            asm volatile(                                                                                              \
                "{\n"                                                                                                  \
                "  .reg .pred keep;\n"                                                                                 \
                "  setp.ne.b32 keep, %2, 0;\n"                                                                         \
                "  wgmma.mma_async.sync.aligned.m64n" #N "k8.f32.tf32.tf32 {" DARWARP_HELD_##N "}, %0, %1, keep, 1, 1;\n" \
                "}\n"                                                                                                  \
                ::"l"(a), "l"(b), "r"(int(add)), "n"(BANK));                                                           \
        }                                                                                                              \
    };
#define DARWARP_WGMMA_BOTH(N, A, B, ADD, ROWS_A, ROWS_B)                                                               \
    DARWARP_WGMMA(N, __half, "f16", A, B, ADD, ROWS_A, ROWS_B)                                                         \
    DARWARP_WGMMA(N, __nv_bfloat16, "bf16", A, B, ADD, ROWS_A, ROWS_B)                                                 \
    DARWARP_WGMMA_8(N, __nv_fp8_e4m3, "e4m3", A, B, ADD) DARWARP_WGMMA_8(N, __nv_fp8_e5m2, "e5m2", A, B, ADD)

DARWARP_WGMMA_BOTH(16, "%8", "%9", "%10", "%11", "%12")
DARWARP_WGMMA_BOTH(32, "%16", "%17", "%18", "%19", "%20")
DARWARP_WGMMA_BOTH(48, "%24", "%25", "%26", "%27", "%28")
DARWARP_WGMMA_BOTH(64, "%32", "%33", "%34", "%35", "%36")
DARWARP_WGMMA_BOTH(80, "%40", "%41", "%42", "%43", "%44")
DARWARP_WGMMA_BOTH(96, "%48", "%49", "%50", "%51", "%52")
DARWARP_WGMMA_BOTH(112, "%56", "%57", "%58", "%59", "%60")
DARWARP_WGMMA_BOTH(128, "%64", "%65", "%66", "%67", "%68")
DARWARP_WGMMA_BOTH(144, "%72", "%73", "%74", "%75", "%76")
DARWARP_WGMMA_BOTH(160, "%80", "%81", "%82", "%83", "%84")
DARWARP_WGMMA_BOTH(176, "%88", "%89", "%90", "%91", "%92")
DARWARP_WGMMA_BOTH(192, "%96", "%97", "%98", "%99", "%100")
DARWARP_WGMMA_BOTH(208, "%104", "%105", "%106", "%107", "%108")
DARWARP_WGMMA_BOTH(224, "%112", "%113", "%114", "%115", "%116")
DARWARP_WGMMA_BOTH(240, "%120", "%121", "%122", "%123", "%124")
DARWARP_WGMMA_BOTH(256, "%128", "%129", "%130", "%131", "%132")

DARWARP_WGMMA_TF32(64)
DARWARP_WGMMA_TF32(128)
DARWARP_WGMMA_TF32(192)
DARWARP_WGMMA_TF32(256)

#define DARWARP_WGMMA_OF_ROWS(N, TYPE, NAME, A, B)                                                                     \
    template <>                                                                                                        \
    __device__ __forceinline__ void wgmma_m64k16_of_rows<TYPE, N>(float (&sums)[N / 2], const unsigned (&a)[4], unsigned long long b) { \
        asm volatile("wgmma.mma_async.sync.aligned.m64n" #N "k16.f32." NAME "." NAME " {" DARWARP_REGISTERS_##N "}, {" A "}, " B ", 1, 1, 1, 1;\n" \
                     : DARWARP_SUMS_##N                                                                                \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                                            \
    }
#define DARWARP_WGMMA_OF_ROWS_BOTH(N, A, B) DARWARP_WGMMA_OF_ROWS(N, __half, "f16", A, B) DARWARP_WGMMA_OF_ROWS(N, __nv_bfloat16, "bf16", A, B)

DARWARP_WGMMA_OF_ROWS_BOTH(64, "%32, %33, %34, %35", "%36")
DARWARP_WGMMA_OF_ROWS_BOTH(80, "%40, %41, %42, %43", "%44")
DARWARP_WGMMA_OF_ROWS_BOTH(96, "%48, %49, %50, %51", "%52")
DARWARP_WGMMA_OF_ROWS_BOTH(128, "%64, %65, %66, %67", "%68")
DARWARP_WGMMA_OF_ROWS_BOTH(256, "%128, %129, %130, %131", "%132")

#undef DARWARP_REGISTERS_16
#undef DARWARP_SUMS_16
#undef DARWARP_HELD_16
#undef DARWARP_REGISTERS_32
#undef DARWARP_SUMS_32
#undef DARWARP_HELD_32
#undef DARWARP_REGISTERS_48
#undef DARWARP_SUMS_48
#undef DARWARP_HELD_48
#undef DARWARP_REGISTERS_64
#undef DARWARP_SUMS_64
#undef DARWARP_HELD_64
#undef DARWARP_REGISTERS_80
#undef DARWARP_SUMS_80
#undef DARWARP_HELD_80
#undef DARWARP_REGISTERS_96
#undef DARWARP_SUMS_96
#undef DARWARP_HELD_96
#undef DARWARP_REGISTERS_112
#undef DARWARP_SUMS_112
#undef DARWARP_HELD_112
#undef DARWARP_REGISTERS_128
#undef DARWARP_SUMS_128
#undef DARWARP_HELD_128
#undef DARWARP_REGISTERS_144
#undef DARWARP_SUMS_144
#undef DARWARP_HELD_144
#undef DARWARP_REGISTERS_160
#undef DARWARP_SUMS_160
#undef DARWARP_HELD_160
#undef DARWARP_REGISTERS_176
#undef DARWARP_SUMS_176
#undef DARWARP_HELD_176
#undef DARWARP_REGISTERS_192
#undef DARWARP_SUMS_192
#undef DARWARP_HELD_192
#undef DARWARP_REGISTERS_208
#undef DARWARP_SUMS_208
#undef DARWARP_HELD_208
#undef DARWARP_REGISTERS_224
#undef DARWARP_SUMS_224
#undef DARWARP_HELD_224
#undef DARWARP_REGISTERS_240
#undef DARWARP_SUMS_240
#undef DARWARP_HELD_240
#undef DARWARP_REGISTERS_256
#undef DARWARP_SUMS_256
#undef DARWARP_HELD_256
#undef DARWARP_WGMMA
#undef DARWARP_WGMMA_8
#undef DARWARP_WGMMA_TF32
#undef DARWARP_WGMMA_BOTH
#undef DARWARP_WGMMA_OF_ROWS
#undef DARWARP_WGMMA_OF_ROWS_BOTH

}  // namespace darwarp
