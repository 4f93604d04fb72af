// Tensor maps: one thread asks for a box of a tensor, which the copy engine moves. What is true of bulk copies here is true of
// these: a load's target is poison until somebody waits for its barrier's phase, and a store reads when it is waited for. A map is what
// the host knows of it; nobody but the runtime looks inside.
#ifndef DW_DARWARP_TENSOR_MAP_CUH
#define DW_DARWARP_TENSOR_MAP_CUH

#include "bulk_copy.cuh"

// The box's first element is given by its place in each dimension, outermost first.
DW_RUNTIME void dw_tensor_load(void* shared, const void* map, const int* at, unsigned dimensions, void* barrier);
DW_RUNTIME void dw_tensor_load_multicast(void* shared, const void* map, const int* at, unsigned dimensions, void* barrier, unsigned blocks);
DW_RUNTIME void dw_tensor_store(const void* map, const int* at, unsigned dimensions, const void* shared);
DW_RUNTIME void dw_mbarrier_arrive_at(void* barrier, unsigned rank);

namespace darwarp {

struct TensorMap {
    const void* described;  // a dw_tensor_map: arguments are one word each here
};

inline void tensor_map_prefetch(const TensorMap&) {}

template <Cache HINT = CACHED>
inline void tensor_load(void* shared, const TensorMap& map, int row, int column, Mbarrier* barrier) {
    const int at[] = {row, column};
    dw_tensor_load(shared, map.described, at, 2, barrier);
}

inline void tensor_load(void* shared, const TensorMap& map, int outer, int row, int column, Mbarrier* barrier) {
    const int at[] = {outer, row, column};
    dw_tensor_load(shared, map.described, at, 3, barrier);
}

inline void tensor_load(void* shared, const TensorMap& map, int outer, int inner, int row, int column, Mbarrier* barrier) {
    const int at[] = {outer, inner, row, column};
    dw_tensor_load(shared, map.described, at, 4, barrier);
}

template <Cache HINT = CACHED>
inline void tensor_load_multicast(void* shared, const TensorMap& map, int row, int column, Mbarrier* barrier, unsigned short blocks) {
    const int at[] = {row, column};
    dw_tensor_load_multicast(shared, map.described, at, 2, barrier, blocks);
}

inline void tensor_load_multicast(void* shared, const TensorMap& map, int plane, int row, int column, Mbarrier* barrier,
                                  unsigned short blocks) {
    const int at[] = {plane, row, column};
    dw_tensor_load_multicast(shared, map.described, at, 3, barrier, blocks);
}

inline void tensor_load_multicast(void* shared, const TensorMap& map, int outer, int inner, int row, int column, Mbarrier* barrier,
                                  unsigned short blocks) {
    const int at[] = {outer, inner, row, column};
    dw_tensor_load_multicast(shared, map.described, at, 4, barrier, blocks);
}

inline void tensor_store(const TensorMap& map, int row, int column, const void* shared) {
    const int at[] = {row, column};
    dw_tensor_store(map.described, at, 2, shared);
}

inline void tensor_store(const TensorMap& map, int plane, int row, int column, const void* shared) {
    const int at[] = {plane, row, column};
    dw_tensor_store(map.described, at, 3, shared);
}

inline void mbarrier_arrive_at(Mbarrier* barrier, unsigned rank) { dw_mbarrier_arrive_at(barrier, rank); }

}  // namespace darwarp

#endif
