// What is remembered of each byte of shared memory, and which two accesses to it are at odds.
#ifndef DW_SHADOW_H
#define DW_SHADOW_H

#include "clocks.h"

namespace dw {

// ASYNC is a write by cp.async, BULK_FILL and BULK_READ are the copy engine's, WGMMA_READ is the tensor cores'.
enum Access : uint8_t { READ, WRITE, ATOMIC, ASYNC, BULK_FILL, BULK_READ, WGMMA_READ };

// LATER is a write of an engine to global memory: it was asked to, and does it some time later.
enum Manner : uint8_t { PLAIN, VOLATILE, LATER };

// An engine reads after it was asked to, until somebody waits for it.
inline bool by_engine(Access kind) { return kind == BULK_READ || kind == WGMMA_READ; }
inline bool reads(Access kind) { return kind == READ || by_engine(kind); }

// Cell is one byte's last write and last two reads by different threads: with two of them, whoever writes
// next finds one that is not its own.
struct Cell {
    Stamp write, read[2];
    const void *write_site, *read_site[2];
    Access write_kind, read_kind[2];
    bool in_flight;    // the write is a copy that nobody has waited for
    uint16_t leaving;  // engines that read it and that nobody has waited for
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

// Judge holds an access to one byte against what is remembered of it, and remembers it.
class Judge : public Clocks {
    bool unfenced(const Cell& c) const {
        return (c.write_kind == WRITE || c.write_kind == ATOMIC) && !is_fenced(c.write);
    }
    static Conflict of_read(Conflict::Kind kind, const Cell& c, int i) { return {kind, c.read[i], c.read_site[i], c.read_kind[i]}; }
    static Conflict of_write(Conflict::Kind kind, const Cell& c) { return {kind, c.write, c.write_site, c.write_kind}; }

public:
    // look judges one access to one byte and remembers it; reads by tensor cores are remembered by start_reading. A twin is a
    // write that may be at odds with an earlier write, though with nothing else.
    Conflict look(Cell& c, Stamp now, Access kind, const void* site, bool twin = false) const {
        const bool written = recent(c.write);
        if (written && c.in_flight) return of_write(Conflict::IN_FLIGHT, c);
        if (c.leaving && recent(c.read[0]) && !reads(kind)) return of_read(Conflict::IN_FLIGHT, c, by_engine(c.read_kind[0]) || !by_engine(c.read_kind[1]) ? 0 : 1);
        const bool both_atomic = kind == ATOMIC && c.write_kind == ATOMIC;
        if (written && !both_atomic && !twin && !ordered(c.write, now)) return of_write(Conflict::RACE, c);
        if (written && (by_engine(kind) || kind == BULK_FILL) && unfenced(c)) return of_write(Conflict::UNFENCED, c);
        if (reads(kind) || (kind == ATOMIC && !written)) {
            if (kind != WGMMA_READ) remember(c, now, kind, site);
            if (kind == BULK_READ) ++c.leaving;
            return {written ? Conflict::NONE : Conflict::UNINITIALISED, {}, nullptr, READ};
        }
        for (int i = 0; i < 2; ++i)
            if (recent(c.read[i]) && !ordered(c.read[i], now)) return of_read(Conflict::RACE, c, i);
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
    void start_reading(Cell& c, Stamp who, Access kind, const void* site) const {
        remember(c, who, kind, site);
        ++c.leaving;
    }
    // leave ends an engine's reading that began at `then`: from now on it is a read like others.
    void leave(Cell& c, Stamp then, Stamp now, Access kind, const void* site) const {
        --c.leaving;
        for (int i = 0; i < 2; ++i) {
            if (c.read[i].bits != then.bits || c.read_kind[i] != kind) continue;
            c.read[i] = now;
            return;
        }
        remember(c, now, kind, site);
    }

private:
    void remember(Cell& c, Stamp now, Access kind, const void* site) const {
        const bool again = c.read[0].same_agent(now) && recent(c.read[0]);
        if (again && c.leaving && by_engine(c.read_kind[0]) && !by_engine(kind)) {  // what is under way matters more
            c.read[0] = now;
            return;
        }
        if (!again) {
            c.read[1] = c.read[0];
            c.read_site[1] = c.read_site[0];
            c.read_kind[1] = c.read_kind[0];
        }
        c.read[0] = now;
        c.read_site[0] = site;
        c.read_kind[0] = kind;
    }
};

}  // namespace dw

#endif
