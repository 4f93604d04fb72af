// Tensor maps: one thread asks for a box of a tensor, which the copy engine moves. What is true of bulk copies here is true of
// these: a load's target is poison until somebody waits for its barrier's phase, and a store reads when it is waited for. A map is what
// the host knows of it; nobody but the runtime looks inside.
#ifndef DW_DARWARP_TENSOR_MAP_CUH
#define DW_DARWARP_TENSOR_MAP_CUH

#include "bulk_copy.cuh"

DW_RUNTIME void dw_tensor_load(void* shared, const void* map, int row, int column, void* barrier);
DW_RUNTIME void dw_tensor_load_multicast(void* shared, const void* map, int row, int column, void* barrier, unsigned blocks);
DW_RUNTIME void dw_tensor_store(const void* map, int row, int column, const void* shared);
DW_RUNTIME void dw_mbarrier_arrive_at(void* barrier, unsigned rank);

namespace darwarp {

struct TensorMap {
    const void* described;  // a dw_tensor_map: arguments are one word each here
};

inline void tensor_map_prefetch(const TensorMap&) {}

inline void tensor_load(void* shared, const TensorMap& map, int row, int column, Mbarrier* barrier) {
    dw_tensor_load(shared, map.described, row, column, barrier);
}

inline void tensor_load_multicast(void* shared, const TensorMap& map, int row, int column, Mbarrier* barrier, unsigned short blocks) {
    dw_tensor_load_multicast(shared, map.described, row, column, barrier, blocks);
}

inline void tensor_store(const TensorMap& map, int row, int column, const void* shared) {
    dw_tensor_store(map.described, row, column, shared);
}

inline void mbarrier_arrive_at(Mbarrier* barrier, unsigned rank) { dw_mbarrier_arrive_at(barrier, rank); }

}  // namespace darwarp

#endif
