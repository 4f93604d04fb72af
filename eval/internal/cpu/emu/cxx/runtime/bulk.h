// What a block has of bulk copies: those on their way, and the mbarriers that count the bytes of loads.
#ifndef DW_BULK_H
#define DW_BULK_H

#include <string>
#include <vector>

#include "abi.h"
#include "shadow.h"

namespace dw {

// BulkCopy is one that has been asked for and has not landed: of a run of bytes, or of a box of a tensor.
struct BulkCopy {
    void* to;
    const void* from;
    unsigned bytes;
    const Fiber* owner;  // the thread that asked for it,
    unsigned group;      // its groups of stores before,
    Stamp then;          // and when it did
    const void* site;
    const dw_tensor_map* map;  // null: a run of bytes
    int at[5];                 // the box's first element, outermost dimension first
    bool adds = false;         // floats to those that are there
    unsigned char words[16] = {};  // what is sent from registers: then `from` is null
};

// Mbarrier is what the 64 bits of one in shared memory stand for. A phase is over when nobody is missing and all announced
// bytes have come.
struct Mbarrier {
    const void* at;
    unsigned expected, missing;  // arrivals of a phase
    long long bytes;             // announced and not yet come; less than none if they came first
    unsigned phase;              // that is not over
    bool fenced, shown;          // the copy engine knows it; so do all threads of the cluster
    Stamp made;
    const void* site;            // where
    std::vector<BulkCopy> flying;
    std::vector<Fiber*> waiting;
    std::vector<uint32_t> told, passed_on;  // what those who arrived knew; what is known by whoever sees the last phase end
    unsigned seen = 0;           // phases that a thread of the block has seen end
    const Fiber* far = nullptr;  // the last to arrive from another block,
    unsigned far_phase = 0;      // in this phase
    const void* far_site = nullptr;

    std::string say() const {
        return "an mbarrier whose phase " + std::to_string(phase) + " does not end: " + std::to_string(expected - missing) + " of " +
               std::to_string(expected) + " have arrived, and " +
               (bytes < 0 ? std::to_string(-bytes) + " bytes have come that nobody announced"
                          : std::to_string(bytes) + " bytes are announced that nobody copies");
    }
};

struct Bulk {
    std::vector<Mbarrier> barriers;
    std::vector<BulkCopy> stores;
    std::vector<unsigned> groups;  // of stores that a thread has committed

    Mbarrier* find(const void* at) {
        for (Mbarrier& b : barriers)
            if (b.at == at) return &b;
        return nullptr;
    }
    unsigned& committed(unsigned thread) {
        if (thread >= groups.size()) groups.resize(thread + 1);
        return groups[thread];
    }
    void clear() {
        barriers.clear();
        stores.clear();
        groups.clear();
    }
};

}  // namespace dw

#endif
