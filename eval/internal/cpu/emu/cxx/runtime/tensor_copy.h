// Copies of boxes by tensor map (TMA): bulk copies like others, but for what they move.
#ifndef DW_TENSOR_COPY_H
#define DW_TENSOR_COPY_H

#include "darwarp/tensor_map.cuh"
#include "bulk_copy.h"

namespace dw {

// box_of is a copy of the box at `at`, of so many dimensions, looked at as far as it can be before it is known where it goes.
inline BulkCopy box_of(Fiber& f, const void* map, const int* at, unsigned rank, const void* shared, const void* site, Access kind) {
    const dw_tensor_map& m = *static_cast<const dw_tensor_map*>(map);
    if (m.rank != rank)
        misuse(f, "trap", std::string(verb(kind)) + " of " + std::to_string(rank) + " dimensions, and tensor map " + m.name + " has " + std::to_string(m.rank), site, verb(kind));
    if (uintptr_t(shared) & 127) misuse(f, "misaligned", std::string(verb(kind)) + " by tensor map " + m.name + ": the address in shared memory must be a multiple of 128", site, verb(kind));
    BulkCopy c{nullptr, nullptr, box_bytes(m), &f, 0, {}, site, &m, {}};
    memcpy(c.at, at, rank * sizeof *at);
    return c;
}

// in_tensor looks at the elements of a box in global memory.
inline void in_tensor(Fiber& f, const BulkCopy& c, const void* shared, Access kind) {
    Check* check = f.block->check;
    if (!check || !check->races) return;
    each_chunk(c, shared, [&](const unsigned char*, unsigned char* global, unsigned from, unsigned to) {
        if (from < to) check->global(f, uintptr_t(global + from), to - from, kind, c.site, kind == WRITE ? LATER : PLAIN);
    });
}

// load asks for a box in the shared memory of all blocks that have their bit set.
inline void load(void* shared, const void* map, const int* at, unsigned dimensions, void* barrier, uint32_t blocks, const void* site) {
    Fiber& f = self();
    Block& b = *f.block;
    BulkCopy c = box_of(f, map, at, dimensions, shared, site, BULK_FILL);
    if (blocks >> b.cluster->size)
        misuse(f, "out_of_bounds", "fills shared memory of block " + std::to_string(31 - __builtin_clz(blocks)) + " of its cluster, which has no such block", site, verb(BULK_FILL));
    in_tensor(f, c, shared, READ);
    for (unsigned rank = 0; rank < b.cluster->size; ++rank) {
        if (!(blocks >> rank & 1)) continue;
        c.to = in_block(b, shared, rank);
        fly(f, *b.cluster->blocks[rank], c, in_block(b, barrier, rank));
    }
    if (b.check) b.check->clocks.tick(f);
}

}  // namespace dw

void dw_tensor_load(void* shared, const void* map, const int* at, unsigned dimensions, void* barrier) {
    dw::load(shared, map, at, dimensions, barrier, 1u << self().block->rank, __builtin_return_address(0));
}

void dw_tensor_load_multicast(void* shared, const void* map, const int* at, unsigned dimensions, void* barrier, unsigned blocks) {
    dw::load(shared, map, at, dimensions, barrier, blocks, __builtin_return_address(0));
}

void dw_tensor_store(const void* map, const int* at, unsigned dimensions, const void* shared) {
    dw::Fiber& f = self();
    const void* site = __builtin_return_address(0);
    dw::BulkCopy c = dw::box_of(f, map, at, dimensions, shared, site, dw::BULK_READ);
    c.from = shared;
    if (dw::Check* check = f.block->check) {
        check->clocks.widen();
        dw::each_chunk(c, shared, [&](const unsigned char* chunk, unsigned char*, unsigned from, unsigned to) {
            if (from < to) dw::in_shared(f, *f.block, chunk + from, to - from, dw::BULK_READ, site);
        });
    }
    dw::in_tensor(f, c, shared, dw::WRITE);
    dw::leave_shared(f, c);
}

void dw_mbarrier_arrive_at(void* barrier, unsigned rank) {
    dw::Fiber& f = self();
    dw::Block& b = *f.block;
    const void* site = __builtin_return_address(0);
    if (rank >= b.cluster->size)
        dw::misuse(f, "out_of_bounds", "arrives at an mbarrier of block " + std::to_string(rank) + " of its cluster, which has no such block", site, "arrives");
    dw::arrive_at(f, *b.cluster->blocks[rank], dw::in_block(b, barrier, rank), 0, site);
}

#endif
