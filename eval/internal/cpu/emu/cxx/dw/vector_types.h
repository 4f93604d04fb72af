// The built-in vector types (CUDA C++ Programming Guide, "Built-in Vector Types") with their alignments,
// which decide how wide a load of one is.
#ifndef DW_VECTOR_TYPES_H
#define DW_VECTOR_TYPES_H

#define DW_VECTORS(T, NAME, ALIGN2, ALIGN4)                                                        \
    struct NAME##1 { T x; };                                                                       \
    struct alignas(ALIGN2) NAME##2 { T x, y; };                                                    \
    struct NAME##3 { T x, y, z; };                                                                 \
    struct alignas(ALIGN4) NAME##4 { T x, y, z, w; };                                              \
    inline NAME##1 make_##NAME##1(T x) { return {x}; }                                             \
    inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                                     \
    inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }                             \
    inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }

DW_VECTORS(signed char, char, 2, 4)
DW_VECTORS(unsigned char, uchar, 2, 4)
DW_VECTORS(short, short, 4, 8)
DW_VECTORS(unsigned short, ushort, 4, 8)
DW_VECTORS(int, int, 8, 16)
DW_VECTORS(unsigned, uint, 8, 16)
DW_VECTORS(long, long, 16, 16)
DW_VECTORS(unsigned long, ulong, 16, 16)
DW_VECTORS(long long, longlong, 16, 16)
DW_VECTORS(unsigned long long, ulonglong, 16, 16)
DW_VECTORS(float, float, 8, 16)
DW_VECTORS(double, double, 16, 16)
#undef DW_VECTORS

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return {x, y, z}; }
};

#endif
