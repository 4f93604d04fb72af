// Atomics, as compare-and-swap loops over one function that says what the new value is.
#ifndef DW_ATOMIC_H
#define DW_ATOMIC_H

#include "cuda_bf16.h"
#include "check.h"

namespace dw {

template <class U> struct Signed;
template <> struct Signed<uint16_t> {
    typedef int16_t type;
    static uint16_t add(uint16_t a, uint16_t) { return a; }  // there is no 16-bit DW_ADD_FLOAT
};
template <> struct Signed<uint32_t> {
    typedef int32_t type;
    static uint32_t add(uint32_t a, uint32_t b) { return as<uint32_t>(as<float>(a) + as<float>(b)); }
};
template <> struct Signed<uint64_t> {
    typedef int64_t type;
    static uint64_t add(uint64_t a, uint64_t b) { return as<uint64_t>(as<double>(a) + as<double>(b)); }
};

template <class U>
inline U updated(int op, U old, U v, U compare) {
    typedef typename Signed<U>::type S;
    switch (op) {
    case DW_ADD: return U(old + v);
    case DW_SUB: return U(old - v);
    case DW_EXCH: return v;
    case DW_CAS: return old == compare ? v : old;
    case DW_AND: return old & v;
    case DW_OR: return old | v;
    case DW_XOR: return old ^ v;
    case DW_INC: return old >= v ? U(0) : U(old + 1);
    case DW_DEC: return old == 0 || old > v ? v : U(old - 1);
    case DW_MIN_S: return S(v) < S(old) ? v : old;
    case DW_MAX_S: return S(v) > S(old) ? v : old;
    case DW_MIN_U: return v < old ? v : old;
    case DW_MAX_U: return v > old ? v : old;
    case DW_ADD_FLOAT: return U(Signed<U>::add(old, v));
    case DW_ADD_HALF: return U((__half::of(uint16_t(old)) + __half::of(uint16_t(v))).bits);
    case DW_ADD_BF16: return U((__nv_bfloat16::of(uint16_t(old)) + __nv_bfloat16::of(uint16_t(v))).bits);
    case DW_ADD_HALF2: return U(bits_of(of_bits<__half2>(old) + of_bits<__half2>(v)));
    default: return U(bits_of(of_bits<__nv_bfloat162>(old) + of_bits<__nv_bfloat162>(v)));
    }
}

template <class U>
inline uint64_t update(int op, void* p, uint64_t v, uint64_t compare) {
    U* at = static_cast<U*>(p);
    U old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, updated<U>(op, old, U(v), U(compare)), false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {}
    return old;
}

}  // namespace dw

uint64_t dw_atomic(int op, int size, void* p, uint64_t value, uint64_t compare) {
    dw::look(p, unsigned(size), dw::ATOMIC, __builtin_return_address(0), unsigned(size));
    const uint64_t old = size == 8 ? dw::update<uint64_t>(op, p, value, compare)
                       : size == 4 ? dw::update<uint32_t>(op, p, value, compare)
                                   : dw::update<uint16_t>(op, p, value, compare);
    if (++self().block->atomics % 8 == 0) dw_yield();
    return old;
}

#endif
