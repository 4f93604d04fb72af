// nvcuda::wmma. Which lane holds which element is not specified, so ours is the one that is quickest
// here: the tile in the order of its memory, cut into 32 equal runs, one a lane.
#ifndef DW_MMA_H
#define DW_MMA_H

#include "cuda_bf16.h"

// d[m][n] += sum over k of a[m][k] * b[k][n], in fp32: all row-major and dense.
DW_RUNTIME void dw_multiply(float* d, const float* a, const float* b, int m, int n, int k);
// Copies a lane's bytes; in a checked build both ends are looked at, as loads and stores are.
DW_RUNTIME void dw_move(void* to, const void* from, unsigned bytes);

namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };

template <class Use, int M, int N, int K>
struct shape;
template <int M, int N, int K> struct shape<matrix_a, M, N, K> { static constexpr int rows = M, columns = K; };
template <int M, int N, int K> struct shape<matrix_b, M, N, K> { static constexpr int rows = K, columns = N; };
template <int M, int N, int K> struct shape<accumulator, M, N, K> { static constexpr int rows = M, columns = N; };

template <class Use, int M, int N, int K, class T, class Layout = void>
struct fragment {
    static_assert((M == 16 && N == 16 && K == 16) || (M == 32 && N == 8 && K == 16) || (M == 8 && N == 32 && K == 16),
                  "wmma shapes: 16x16x16, 32x8x16 and 8x32x16");
    static constexpr int rows = shape<Use, M, N, K>::rows, columns = shape<Use, M, N, K>::columns;
    static constexpr int num_elements = rows * columns / 32, num_storage_elements = num_elements;
    using element_type = T;
    T x[num_elements];
};

template <class Use, int M, int N, int K, class T, class Layout, class V>
inline void fill_fragment(fragment<Use, M, N, K, T, Layout>& f, const V& v) {
    for (T& e : f.x) e = T(v);
}

namespace detail {

inline __attribute__((always_inline)) void move(void* to, const void* from, unsigned bytes) {
#ifdef DW_CHECKED
    dw_move(to, from, bytes);
#else
    __builtin_memcpy(to, from, bytes);
#endif
}

// Order of a fragment: its lines are rows, or columns where its layout says so. Every shape's runs are
// pieces of one line.
template <class Layout> struct by_columns { static constexpr bool value = false; };
template <> struct by_columns<col_major> { static constexpr bool value = true; };

template <class F> struct order;
template <class Use, int M, int N, int K, class T, class Layout>
struct order<fragment<Use, M, N, K, T, Layout>> {
    using Fragment = fragment<Use, M, N, K, T, Layout>;
    static constexpr bool COLUMNS = by_columns<Layout>::value;
    static constexpr int LINE = COLUMNS ? Fragment::rows : Fragment::columns, COUNT = Fragment::num_elements;
    static_assert(LINE % COUNT == 0, "a lane's run lies in one line");
    static int line() { return int(dw::self().lane) * COUNT / LINE; }
    static int start() { return int(dw::self().lane) * COUNT % LINE; }
};

template <int COUNT, class T>
inline void widen(const T* from, float* to) {
    for (int e = 0; e < COUNT; ++e) to[e] = float(from[e]);
}
#ifdef __F16C__
template <int COUNT>
inline void widen(const __half* from, float* to) {
    for (int e = 0; e < COUNT; e += 4) {
        dw::Shorts8 bits{};
        __builtin_memcpy(&bits, from + e, 8);
        const dw::Floats4 wide = dw::widen4(bits);
        __builtin_memcpy(to + e, &wide, sizeof wide);
    }
}
#endif

// gather puts the lanes' runs together as a dense row-major tile of floats.
template <class F>
inline void gather(float* tile, const F* const* lanes) {
    using O = order<F>;
    float run[O::COUNT];
    for (int lane = 0; lane < 32; ++lane) {
        const int first = lane * O::COUNT;
        float* out = O::COLUMNS ? run : tile + first;
        widen<O::COUNT>(lanes[lane]->x, out);
        if (O::COLUMNS)
            for (int e = 0; e < O::COUNT; ++e)
                tile[(first + e) % O::LINE * F::columns + (first + e) / O::LINE] = run[e];
    }
}

template <class D, class A, class B, class C>
struct Operands {
    D* d;
    const A* a;
    const B* b;
    const C* c;

    DW_UNCHECKED static void finish(void* const* lanes) {
        const A* a[32];
        const B* b[32];
        const C* c[32];
        for (int l = 0; l < 32; ++l) {
            const Operands& o = *static_cast<const Operands*>(lanes[l]);
            a[l] = o.a, b[l] = o.b, c[l] = o.c;
        }
        float at[A::rows * A::columns], bt[B::rows * B::columns], sum[C::rows * C::columns];
        gather(at, a);
        gather(bt, b);
        gather(sum, c);
        dw_multiply(sum, at, bt, A::rows, B::columns, A::columns);
        for (int l = 0; l < 32; ++l)
            for (int e = 0; e < D::num_elements; ++e)
                static_cast<Operands*>(lanes[l])->d->x[e] = typename D::element_type(sum[l * D::num_elements + e]);
    }
};

}  // namespace detail

template <class Use, int M, int N, int K, class T, class Layout>
inline void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& f, const T* p, unsigned ldm) {
    using O = detail::order<fragment<Use, M, N, K, T, Layout>>;
    detail::move(f.x, p + size_t(O::line()) * ldm + O::start(), sizeof f.x);
}

// An accumulator's runs lie along rows: in column-major memory they are strided.
template <int M, int N, int K, class T>
inline void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const T* p, unsigned ldm, layout_t layout) {
    using O = detail::order<fragment<accumulator, M, N, K, T>>;
    if (layout == mem_row_major)
        detail::move(f.x, p + size_t(O::line()) * ldm + O::start(), sizeof f.x);
    else
        for (int e = 0; e < O::COUNT; ++e) f.x[e] = p[size_t(O::start() + e) * ldm + O::line()];
}
template <int M, int N, int K, class T>
inline void store_matrix_sync(T* p, const fragment<accumulator, M, N, K, T>& f, unsigned ldm, layout_t layout) {
    using O = detail::order<fragment<accumulator, M, N, K, T>>;
    if (layout == mem_row_major)
        detail::move(p + size_t(O::line()) * ldm + O::start(), f.x, sizeof f.x);
    else
        for (int e = 0; e < O::COUNT; ++e) p[size_t(O::start() + e) * ldm + O::line()] = f.x[e];
}

template <class D, class A, class B, class C>
inline void mma_sync(D& d, const A& a, const B& b, const C& c, bool = false) {
    detail::Operands<D, A, B, C> mine{&d, &a, &b, &c};
    dw_warp_matrix(&mine, &detail::Operands<D, A, B, C>::finish);
}

}  // namespace wmma
}  // namespace nvcuda

#endif
