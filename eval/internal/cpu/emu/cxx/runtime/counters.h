// Hints on memory traffic: for each access site the bank conflicts of shared memory and the 32-byte sectors
// of global memory per request. The lanes of a warp run apart here, so a request is put together afterwards:
// from the k-th access that each lane makes at the site since the last barrier.
#ifndef DW_COUNTERS_H
#define DW_COUNTERS_H

#include <map>
#include <unordered_map>

#include "dw/fiber.h"
#include "shadow.h"

namespace dw {

enum Space : uint8_t { SHARED, GLOBAL };

struct Site {
    Space space;
    uint64_t accesses = 0, conflicts = 0, sectors = 0;
};

struct Request {
    uint32_t lanes = 0;
    uint32_t size[32];
    uintptr_t address[32];
};

// conflicts_of counts the passes beyond the first that a request to shared memory takes. 32 banks of 4 bytes
// serve 128 bytes at a time: 8-byte accesses go in two halves of the warp, 16-byte ones in four quarters.
inline uint64_t conflicts_of(const Request& r) {
    uint32_t widest = 4;
    for (int l = 0; l < 32; ++l)
        if (r.lanes >> l & 1 && r.size[l] > widest) widest = r.size[l];
    const int group = widest > 8 ? 8 : widest > 4 ? 16 : 32;
    uint64_t conflicts = 0;
    for (int first = 0; first < 32; first += group) {
        uintptr_t words[128];
        int n = 0, load[32] = {}, most = 1;
        for (int l = first; l < first + group; ++l) {
            if (!(r.lanes >> l & 1)) continue;
            for (uintptr_t w = r.address[l] / 4; w <= (r.address[l] + r.size[l] - 1) / 4 && n < 128; ++w) {
                bool seen = false;  // equal words are one fetch for all
                for (int i = 0; i < n && !seen; ++i) seen = words[i] == w;
                if (seen) continue;
                words[n++] = w;
                if (++load[w % 32] > most) most = load[w % 32];
            }
        }
        conflicts += most - 1;
    }
    return conflicts;
}

inline uint64_t sectors_of(const Request& r) {
    uintptr_t sectors[64];
    int n = 0;
    for (int l = 0; l < 32; ++l) {
        if (!(r.lanes >> l & 1)) continue;
        for (uintptr_t s = r.address[l] / 32; s <= (r.address[l] + r.size[l] - 1) / 32 && n < 64; ++s) {
            bool seen = false;
            for (int i = 0; i < n && !seen; ++i) seen = sectors[i] == s;
            if (!seen) sectors[n++] = s;
        }
    }
    return n;
}

class Counters {
    // Pending is a lane's newest access. The compiler may split one access of 16 bytes into several: those of
    // neighbouring code that go on where the last one ended are the same access.
    struct Pending {
        uintptr_t site = 0, address = 0;
        uint32_t size = 0;
        Space space = SHARED;
        Access kind = READ;
    };
    struct PerSite {
        uint32_t seen[32] = {};  // accesses by lane since the last barrier
        std::map<uint32_t, Request> open;
    };
    Pending pending[1024];
    std::unordered_map<uintptr_t, PerSite> warps[32];
    unsigned threads = 0;

    void count(uintptr_t site, const Request& r) {
        Site& s = sites[site];
        ++s.accesses;
        if (s.space == SHARED) s.conflicts += conflicts_of(r);
        else s.sectors += sectors_of(r);
    }
    void settle_lane(unsigned thread) {
        Pending& p = pending[thread];
        if (p.size == 0) return;
        sites[p.site].space = p.space;
        PerSite& at = warps[thread / 32][p.site];
        const uint32_t turn = at.seen[thread % 32]++;
        Request& r = at.open[turn];
        r.lanes |= 1u << thread % 32;
        r.address[thread % 32] = p.address;
        r.size[thread % 32] = p.size;
        p.size = 0;
        if (r.lanes != ~0u) return;
        count(p.site, r);
        at.open.erase(turn);
    }

public:
    std::map<uintptr_t, Site> sites;

    void record(const Fiber& f, const void* pc, Space space, uintptr_t a, uint32_t size, Access kind) {
        Pending& p = pending[f.number];
        const uintptr_t site = uintptr_t(pc), begin = p.address & ~uintptr_t(15);
        if (p.size > 0 && p.space == space && p.kind == kind && a == p.address + p.size && a + size <= begin + 16 &&
            site - p.site < 256) {
            p.size += size;
            return;
        }
        settle_lane(f.number);
        p.site = site;
        p.address = a;
        p.size = size;
        p.space = space;
        p.kind = kind;
    }
    void settle(const Fiber& f) { settle_lane(f.number); }
    void settle_warp(unsigned warp) {
        for (unsigned t = warp * 32; t < warp * 32 + 32 && t < threads; ++t) settle_lane(t);
        for (auto& site : warps[warp])
            for (auto& r : site.second.open) count(site.first, r.second);
        warps[warp].clear();
    }
    void settle_all() {
        for (unsigned w = 0; w * 32 < threads; ++w) settle_warp(w);
    }
    void add(const Counters& other) {
        for (auto& s : other.sites) {
            Site& sum = sites[s.first];
            sum.space = s.second.space;
            sum.accesses += s.second.accesses;
            sum.conflicts += s.second.conflicts;
            sum.sectors += s.second.sectors;
        }
    }
    void start_block(unsigned n) {
        settle_all();
        threads = n;
    }
};

}  // namespace dw

#endif
