// What is remembered of each byte of shared memory, and what orders two accesses to it: a barrier of the
// block between them, a __syncwarp that both threads took part in, or an mbarrier at which one arrived and for whose phase
// the other waited. Nothing else does: not the order in which threads happened to run, and not the other warp-wide operations.
#ifndef DW_SHADOW_H
#define DW_SHADOW_H

#include <stdint.h>
#include <string.h>

#include <vector>

#include "dw/fiber.h"

namespace dw {

// ASYNC is a write by cp.async, BULK_FILL and BULK_READ are the copy engine's.
enum Access : uint8_t { READ, WRITE, ATOMIC, ASYNC, BULK_FILL, BULK_READ };

// Stamp says who and when: the block's barriers so far, and the thread's own __syncwarps so far.
struct Stamp {
    uint64_t bits = 0;  // epoch, clock, thread: 32, 22 and 10 bits; no epoch is 0
    static Stamp of(uint32_t epoch, uint32_t clock, uint32_t thread) { return {uint64_t(epoch) << 32 | uint64_t(clock & 0x3fffff) << 10 | thread}; }
    uint32_t epoch() const { return uint32_t(bits >> 32); }
    uint32_t clock() const { return uint32_t(bits >> 10) & 0x3fffff; }
    uint32_t thread() const { return uint32_t(bits & 1023); }
};

// Cell is one byte's last write and last two reads by different threads: with two of them, whoever writes
// next finds one that is not its own.
struct Cell {
    Stamp write, read[2];
    const void *write_site, *read_site[2];
    Access write_kind;
    bool in_flight;   // the write is a copy that nobody has waited for
    uint8_t leaving;  // bulk stores that read it and that nobody has waited for
};

// Shadow has a cell per byte, made when first touched.
class Shadow {
    std::vector<Cell> cells;
public:
    Cell& at(uintptr_t offset) {
        if (offset >= cells.size()) cells.resize(offset + 4096, Cell{});
        return cells[offset];
    }
};

struct Conflict {
    enum Kind { NONE, RACE, UNINITIALISED, IN_FLIGHT, UNFENCED } kind;
    Stamp other;
    const void* site;
    Access other_access;
};

class Clocks {
    uint32_t epoch = 0, first = 0;
    uint32_t known[32][32][32];  // of a warp: what a lane knows of another lane's clock; its own is the clock
    std::vector<uint32_t> wide;  // what thread b knows of thread a's clock through mbarriers, at b * threads + a; empty until there are any
    uint32_t threads = 0;
    std::vector<Stamp> fenced;   // a thread's last fence.proxy.async

    bool ordered(Stamp before, Stamp now) const {
        if (before.epoch() != now.epoch() || before.thread() == now.thread()) return true;
        const uint32_t a = before.thread(), b = now.thread();
        if (a / 32 == b / 32 && known[a / 32][b % 32][a % 32] >= before.clock()) return true;
        return !wide.empty() && wide[b * threads + a] >= before.clock();
    }
    bool unfenced(const Cell& c) const {
        if (c.write_kind != WRITE && c.write_kind != ATOMIC) return false;
        const uint32_t a = c.write.thread();
        return a >= fenced.size() || fenced[a].epoch() < c.write.epoch() || (fenced[a].epoch() == c.write.epoch() && fenced[a].clock() < c.write.clock());
    }

public:
    // A block's epochs are above those of the blocks before it: what those left behind counts as never written.
    void start_block() {
        first = ++epoch;
        wide.clear();
        fenced.clear();
        for (auto& warp : known)
            for (int l = 0; l < 32; ++l)
                for (int o = 0; o < 32; ++o) warp[l][o] = l == o;
    }
    void next_epoch() { ++epoch; }
    Stamp now(const Fiber& f) const { return Stamp::of(epoch, known[f.warp][f.lane][f.lane], f.number); }

    void sync(unsigned warp, uint32_t lanes) {
        uint32_t joined[32] = {};
        for (int l = 0; l < 32; ++l)
            for (int o = 0; lanes >> l & 1 && o < 32; ++o)
                if (known[warp][l][o] > joined[o]) joined[o] = known[warp][l][o];
        for (int l = 0; l < 32; ++l) {
            if (!(lanes >> l & 1)) continue;
            memcpy(known[warp][l], joined, sizeof joined);
            ++known[warp][l][l];
        }
        if (!wide.empty()) sync_wide(warp, lanes);
    }

    // tick begins a thread's next step: what it does from now on is not yet known to those who know of the step before.
    void tick(const Fiber& f) { ++known[f.warp][f.lane][f.lane]; }

    // widen makes room for what threads learn from mbarriers.
    void widen(uint32_t n) {
        if (!wide.empty()) return;
        threads = n;
        wide.assign(size_t(n) * n, 0);
        fenced.assign(n, Stamp{});
    }

    // tell adds to `sum` what a thread knows, itself included; learn is the other way round.
    void tell(const Fiber& f, std::vector<uint32_t>& sum) {
        sum.resize(threads);
        const uint32_t* mine = &wide[size_t(f.number) * threads];
        for (uint32_t a = 0; a < threads; ++a) sum[a] = mine[a] > sum[a] ? mine[a] : sum[a];
        for (uint32_t o = 0, a = f.warp * 32; o < 32 && a < threads; ++o, ++a)
            if (known[f.warp][f.lane][o] > sum[a]) sum[a] = known[f.warp][f.lane][o];
        tick(f);
    }
    void learn(const Fiber& f, const std::vector<uint32_t>& sum) {
        uint32_t* mine = &wide[size_t(f.number) * threads];
        for (uint32_t a = 0; a < sum.size(); ++a) mine[a] = mine[a] > sum[a] ? mine[a] : sum[a];
    }
    void fence(const Fiber& f) {
        if (f.number < fenced.size()) fenced[f.number] = now(f);
        tick(f);
    }
    bool before(Stamp a, Stamp b) const { return ordered(a, b); }

    // look judges one access to one byte and remembers it.
    Conflict look(Cell& c, Stamp now, Access kind, const void* site) const {
        const bool written = c.write.epoch() >= first;
        if (written && c.in_flight) return {Conflict::IN_FLIGHT, c.write, c.write_site, c.write_kind};
        if (c.leaving && c.read[0].epoch() >= first && kind != READ && kind != BULK_READ)
            return {Conflict::IN_FLIGHT, c.read[0], c.read_site[0], BULK_READ};
        const bool both_atomic = kind == ATOMIC && c.write_kind == ATOMIC;
        if (written && !both_atomic && !ordered(c.write, now)) return {Conflict::RACE, c.write, c.write_site, c.write_kind};
        if (written && (kind == BULK_READ || kind == BULK_FILL) && unfenced(c)) return {Conflict::UNFENCED, c.write, c.write_site, c.write_kind};
        if (kind == READ || kind == BULK_READ || (kind == ATOMIC && !written)) {
            if (c.read[0].thread() != now.thread() || c.read[0].epoch() < first) {
                c.read[1] = c.read[0];
                c.read_site[1] = c.read_site[0];
            }
            c.read[0] = now;
            c.read_site[0] = site;
            if (kind == BULK_READ) ++c.leaving;
            return {written ? Conflict::NONE : Conflict::UNINITIALISED, {}, nullptr, READ};
        }
        for (int i = 0; i < 2; ++i)
            if (c.read[i].epoch() >= first && !ordered(c.read[i], now)) return {Conflict::RACE, c.read[i], c.read_site[i], READ};
        c.write = now;
        c.write_site = site;
        c.write_kind = kind;
        c.in_flight = kind == ASYNC || kind == BULK_FILL;
        return {Conflict::NONE, {}, nullptr, READ};
    }
    void land(Cell& c, Stamp now) const {
        c.write = now;
        c.in_flight = false;
    }
    void leave(Cell& c, Stamp now) const {
        c.read[0] = now;
        --c.leaving;
    }
private:
    // sync_wide is sync for what the lanes know of other warps.
    void sync_wide(unsigned warp, uint32_t lanes) {
        std::vector<uint32_t> joined(threads);
        for (uint32_t l = 0; l < 32; ++l)
            for (uint32_t a = 0; lanes >> l & 1 && a < threads; ++a) {
                const uint32_t k = wide[size_t(warp * 32 + l) * threads + a];
                if (k > joined[a]) joined[a] = k;
            }
        for (uint32_t l = 0; l < 32; ++l)
            if (lanes >> l & 1) memcpy(&wide[size_t(warp * 32 + l) * threads], joined.data(), threads * 4);
    }
};

}  // namespace dw

#endif
