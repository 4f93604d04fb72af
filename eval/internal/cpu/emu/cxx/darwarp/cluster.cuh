// Thread block clusters: every block of one is at work, and shared memory of another is an address away.
#ifndef DW_DARWARP_CLUSTER_CUH
#define DW_DARWARP_CLUSTER_CUH

#include "../dw/keywords.h"

DW_RUNTIME unsigned dw_cluster_rank();
DW_RUNTIME void dw_cluster_arrive(bool shows);  // what the thread did before
DW_RUNTIME void dw_cluster_wait();
// Where the shared variable that p is in this block lies in block `rank`.
DW_RUNTIME void* dw_cluster_map(void* p, unsigned rank);
// Sends 16 bytes to the variable and the mbarrier of block `rank` that p and `barrier` are in this one.
DW_RUNTIME void dw_cluster_send(void* p, unsigned rank, const void* words, void* barrier);

namespace darwarp {

inline unsigned cluster_rank() { return dw_cluster_rank(); }
inline void cluster_arrive() { dw_cluster_arrive(true); }
inline void cluster_arrive_only() { dw_cluster_arrive(false); }
inline void cluster_wait() { dw_cluster_wait(); }
inline void cluster_store(float* p, unsigned rank, float v) { *static_cast<float*>(dw_cluster_map(p, rank)) = v; }

inline float4 cluster_load(const float4* p, unsigned rank) { return *static_cast<const float4*>(dw_cluster_map(const_cast<float4*>(p), rank)); }

struct Mbarrier;
inline void cluster_send(float4* p, unsigned rank, float4 v, Mbarrier* barrier) { dw_cluster_send(p, rank, &v, barrier); }

}  // namespace darwarp

#endif
