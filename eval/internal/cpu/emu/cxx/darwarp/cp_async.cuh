// cp.async as the hardware promises it and no better: a copy lands when its thread waits for its group, or at
// any time before. Where it is never waited for, it lands late.
#ifndef DW_DARWARP_CP_ASYNC_CUH
#define DW_DARWARP_CP_ASYNC_CUH

#include "../dw/memory.h"

DW_RUNTIME void dw_copy_async(void* shared, const void* global, unsigned bytes);  // a null source means zeros
DW_RUNTIME void dw_copy_commit();
DW_RUNTIME void dw_copy_wait(unsigned pending);

namespace darwarp {

inline unsigned shared_address(const void* p) { return unsigned(__cvta_generic_to_shared(p)); }

inline void cp_async16_or_zero(void* shared, const void* global, bool valid) { dw_copy_async(shared, valid ? global : nullptr, 16); }

template <int BYTES>
inline void cp_async_or_zero(void* shared, const void* global, bool valid) {
    static_assert(BYTES == 4 || BYTES == 8 || BYTES == 16, "cp.async copies 4, 8 or 16 bytes");
    dw_copy_async(shared, valid ? global : nullptr, BYTES);
}

inline void cp_async16_if(bool go, void* shared, const void* global) {
    if (go) dw_copy_async(shared, global, 16);
}

inline void cp_async_commit() { dw_copy_commit(); }

template <int PENDING>
inline void cp_async_wait() {
    dw_copy_wait(PENDING);
}

}  // namespace darwarp

#endif
