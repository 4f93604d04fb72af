// What is remembered of each byte of shared memory, and what orders two accesses to it: a barrier of the
// block between them, or a __syncwarp that both threads took part in. Nothing else does: not the order in which
// threads happened to run, and not the other warp-wide operations.
#ifndef DW_SHADOW_H
#define DW_SHADOW_H

#include <stdint.h>
#include <string.h>

#include <vector>

#include "dw/fiber.h"

namespace dw {

enum Access : uint8_t { READ, WRITE, ATOMIC, ASYNC };

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
    bool in_flight;  // the write is a cp.async that nobody has waited for
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
    enum Kind { NONE, RACE, UNINITIALISED, IN_FLIGHT } kind;
    Stamp other;
    const void* site;
    Access other_access;
};

class Clocks {
    uint32_t epoch = 0, first = 0;
    uint32_t known[32][32][32];  // of a warp: what a lane knows of another lane's clock; its own is the clock

    bool ordered(Stamp before, Stamp now) const {
        if (before.epoch() != now.epoch() || before.thread() == now.thread()) return true;
        const uint32_t a = before.thread(), b = now.thread();
        return a / 32 == b / 32 && known[a / 32][b % 32][a % 32] >= before.clock();
    }

public:
    // A block's epochs are above those of the blocks before it: what those left behind counts as never written.
    void start_block() {
        first = ++epoch;
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
    }

    // look judges one access to one byte and remembers it.
    Conflict look(Cell& c, Stamp now, Access kind, const void* site) const {
        const bool written = c.write.epoch() >= first;
        if (written && c.in_flight) return {Conflict::IN_FLIGHT, c.write, c.write_site, c.write_kind};
        const bool both_atomic = kind == ATOMIC && c.write_kind == ATOMIC;
        if (written && !both_atomic && !ordered(c.write, now)) return {Conflict::RACE, c.write, c.write_site, c.write_kind};
        if (kind == READ || (kind == ATOMIC && !written)) {
            if (c.read[0].thread() != now.thread() || c.read[0].epoch() < first) {
                c.read[1] = c.read[0];
                c.read_site[1] = c.read_site[0];
            }
            c.read[0] = now;
            c.read_site[0] = site;
            return {written ? Conflict::NONE : Conflict::UNINITIALISED, {}, nullptr, READ};
        }
        for (int i = 0; i < 2; ++i)
            if (c.read[i].epoch() >= first && !ordered(c.read[i], now)) return {Conflict::RACE, c.read[i], c.read_site[i], READ};
        c.write = now;
        c.write_site = site;
        c.write_kind = kind;
        c.in_flight = kind == ASYNC;
        return {Conflict::NONE, {}, nullptr, READ};
    }
    void land(Cell& c, Stamp now) const {
        c.write = now;
        c.in_flight = false;
    }
};

}  // namespace dw

#endif
