// Loads and stores with cache hints. The hints have no meaning here; the access has.
#ifndef DW_MEMORY_H
#define DW_MEMORY_H

#include "keywords.h"

#include <stddef.h>

template <class T> inline __attribute__((always_inline)) T __ldg(const T* p) { return *p; }
template <class T> inline __attribute__((always_inline)) T __ldca(const T* p) { return *p; }
template <class T> inline __attribute__((always_inline)) T __ldcs(const T* p) { return *p; }
template <class T> inline __attribute__((always_inline)) T __ldlu(const T* p) { return *p; }
// Loads past the first-level cache may poll a flag, as volatile ones may, and the checks are told so.
DW_RUNTIME void dw_poll(void* to, const void* from, unsigned bytes, unsigned alignment);
#ifdef DW_CHECKED
template <class T> inline __attribute__((always_inline)) T __ldcg(const T* p) {
    T v;
    dw_poll(&v, p, sizeof v, alignof(T));
    return v;
}
#else
template <class T> inline __attribute__((always_inline)) T __ldcg(const T* p) { return *p; }
#endif
template <class T> inline __attribute__((always_inline)) T __ldcv(const T* p) { return __ldcg(p); }
template <class T> inline __attribute__((always_inline)) void __stwb(T* p, T v) { *p = v; }
template <class T> inline __attribute__((always_inline)) void __stcg(T* p, T v) { *p = v; }
template <class T> inline __attribute__((always_inline)) void __stcs(T* p, T v) { *p = v; }
template <class T> inline __attribute__((always_inline)) void __stwt(T* p, T v) { *p = v; }

// A shared address is an offset from the block's dynamic shared memory: 32 bits, as on the device.
DW_RUNTIME size_t dw_shared_offset(const void* p);
inline size_t __cvta_generic_to_shared(const void* p) { return dw_shared_offset(p); }

#endif
