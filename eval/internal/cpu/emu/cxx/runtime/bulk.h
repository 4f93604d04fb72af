// What a block has of bulk copies: those on their way, and the mbarriers that count the bytes of loads.
#ifndef DW_BULK_H
#define DW_BULK_H

#include <string>
#include <vector>

#include "shadow.h"

namespace dw {

// BulkCopy is one that has been asked for and has not landed.
struct BulkCopy {
    void* to;
    const void* from;
    unsigned bytes;
    unsigned owner, group;  // the thread that asked for it, and its groups of stores before
    uint32_t clock;         // of that thread then
    const void* site;
};

// Mbarrier is what the 64 bits of one in shared memory stand for. A phase is over when nobody is missing and all announced
// bytes have come.
struct Mbarrier {
    const void* at;
    unsigned expected, missing;  // arrivals of a phase
    long long bytes;             // announced and not yet come; less than none if they came without
    unsigned phase;              // that is not over
    bool fenced;                 // the copy engine knows it
    Stamp made;
    const void* site;            // where
    std::vector<BulkCopy> flying;
    std::vector<Fiber*> waiting;
    std::vector<uint32_t> told, passed_on;  // what those who arrived knew; what is known by whoever sees the last phase end

    std::string say() const {
        return "an mbarrier whose phase " + std::to_string(phase) + " does not end: " + std::to_string(expected - missing) + " of " +
               std::to_string(expected) + " have arrived, and " + std::to_string(bytes) + " bytes are announced that nobody copies";
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
