// Bulk copies as the hardware promises them and no better: a load's target is poison until somebody waits for its barrier's
// phase, a store reads its source when it is waited for, and what the copy engine was not told of by a fence it has not seen.
#ifndef DW_DARWARP_BULK_COPY_CUH
#define DW_DARWARP_BULK_COPY_CUH

#include "cp_async.cuh"
#include "global.cuh"

DW_RUNTIME void dw_mbarrier_init(void* barrier, unsigned arrivals);
DW_RUNTIME void dw_mbarrier_fence();
DW_RUNTIME void dw_mbarrier_arrive(void* barrier, unsigned bytes);
DW_RUNTIME void dw_mbarrier_wait(void* barrier, unsigned parity);
DW_RUNTIME void dw_bulk_load(void* shared, const void* global, unsigned bytes, void* barrier);
DW_RUNTIME void dw_bulk_load_multicast(void* shared, const void* global, unsigned bytes, void* barrier, unsigned blocks);
DW_RUNTIME void dw_bulk_store(void* global, const void* shared, unsigned bytes);
DW_RUNTIME void dw_bulk_add(float* global, const float* shared, unsigned bytes);
DW_RUNTIME void dw_bulk_commit();
DW_RUNTIME void dw_bulk_wait_read(unsigned pending);
DW_RUNTIME void dw_async_fence();

namespace darwarp {

struct alignas(8) Mbarrier {
    unsigned long long bits;
};

inline void mbarrier_init(Mbarrier* barrier, unsigned arrivals) { dw_mbarrier_init(barrier, arrivals); }
inline void mbarrier_fence() { dw_mbarrier_fence(); }
inline void mbarrier_arrive(Mbarrier* barrier) { dw_mbarrier_arrive(barrier, 0); }
inline void mbarrier_expect(Mbarrier* barrier, unsigned bytes) { dw_mbarrier_arrive(barrier, bytes); }
inline void mbarrier_wait(Mbarrier* barrier, unsigned parity) { dw_mbarrier_wait(barrier, parity); }

template <Cache HINT>
inline void bulk_load(void* shared, const void* global, unsigned bytes, Mbarrier* barrier) {
    dw_bulk_load(shared, global, bytes, barrier);
}

inline void bulk_load_multicast(void* shared, const void* global, unsigned bytes, Mbarrier* barrier, unsigned short blocks) {
    dw_bulk_load_multicast(shared, global, bytes, barrier, blocks);
}

inline void async_fence() { dw_async_fence(); }

template <Cache HINT>
inline void bulk_store(void* global, const void* shared, unsigned bytes) {
    dw_bulk_store(global, shared, bytes);
}
inline void bulk_add(float* global, const float* shared, unsigned bytes) { dw_bulk_add(global, shared, bytes); }
inline void bulk_commit() { dw_bulk_commit(); }

template <int PENDING>
inline void bulk_wait_read() {
    dw_bulk_wait_read(PENDING);
}

template <int PENDING>
inline void bulk_wait() {
    dw_bulk_wait_read(PENDING);
}

}  // namespace darwarp

#endif
