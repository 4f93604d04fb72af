// Races between blocks through global memory, among the checks of --races. Clusters run one after the other then (a
// block without one is a cluster of its own), so this is asked of what earlier clusters did to a word of memory:
//  - a read of what one wrote, unless a fence came after the write, and a store or an atomic after the fence;
//  - a write of another value where one wrote, likewise;
//  - a write of another value where one read, unless an atomic or a fence came after the read.
// Kernels that are right must pass, so much is let pass. A word that is ever the target of an atomic or of a volatile
// store is there to synchronise. A volatile read (__ldcg and __ldcv are such) of what was written after a fence may be
// that of a flag, unless the reader has come by a ticket that the writer took after its write: then it is the ticket that
// should have told it. Whoever writes after a fence may have waited for those who read. Whether the reader fences is not
// asked.
#ifndef DW_GRID_H
#define DW_GRID_H

#include <string.h>

#include <string>
#include <vector>

#include "block.h"
#include "order.h"
#include "shadow.h"

namespace dw {

const char* verb(Access kind);

// Mark is an access to a word.
struct Mark {
    uint32_t cluster;  // its number in the order of the launch, from 1
    uint32_t time;     // of the cluster
    uint32_t site;     // from the image's base
    uint16_t thread;   // of the cluster
    uint8_t bytes;     // of the word, a bit each
    bool fenced;       // the cluster had fenced before
};

constexpr uint32_t SYNCHRONISES = ~0u;  // in place of the cluster that wrote

struct Word { Mark write, read; };

// Ticket is a word that a cluster has changed by atomics, and when it last did.
struct Ticket {
    unsigned buffer;
    uintptr_t offset;
    uint32_t time;
    bool same(const Ticket& t) const { return buffer == t.buffer && offset == t.offset; }
};

class GridRaces {
    static constexpr size_t PAGE = 1024, MOST_PAGES = 2048;  // in words: 64 MiB of them, no more are looked at
    static constexpr size_t MOST_SUSPECTS = 32, MOST_TICKETS = 8;

    // Past is what is left of a cluster that has ended.
    struct Past {
        uint3 first;  // its first block's place in the grid
        uint32_t signalled;
        std::vector<uint32_t> shown;
        std::vector<Ticket> tickets;
    };
    // The access under way. A write is announced before it is done: what it changes is seen at the next access.
    struct {
        Access kind = READ;
        unsigned buffer, size;
        uintptr_t offset;
        Mark mark;
        unsigned char old[64];  // what is there before a write
    } access;
    // Suspect is a race unless its word turns out to synchronise.
    struct Suspect {
        const Word* word;
        Fault fault;
    };

    const Launch& launch;
    const uintptr_t image;
    const uint3 shape;  // of a cluster, in blocks
    bool running = false;
    uint3 first{};      // where the cluster that runs begins
    Order order;
    std::vector<Ticket> tickets;  // of the cluster that runs
    std::vector<Past> pasts;
    std::vector<std::vector<std::vector<Word>>> pages;  // by buffer
    size_t page_count = 0;
    std::vector<Suspect> suspects;

    uint32_t current() const { return uint32_t(pasts.size()) + 1; }
    unsigned number(const Fiber& f) const { return f.block->rank * f.block->threads + f.number; }
    bool others(const Mark& m, unsigned bytes) const {
        return m.cluster && m.cluster != SYNCHRONISES && m.cluster != current() && m.bytes & bytes;
    }
    const Past& past(const Mark& m) const { return pasts[m.cluster - 1]; }
    bool shown(const Mark& m) const { return !past(m).shown.empty() && past(m).shown[m.thread] > m.time; }
    bool told(const Mark& m) const { return past(m).signalled > m.time; }
    bool by_ticket(const Mark& m) const;
    void take(const Ticket& t);

    Word* word(unsigned buffer, size_t index) {
        auto& of = pages[buffer];
        if (of.empty()) of.resize(launch.buffers[buffer].bytes / (4 * PAGE) + 1);
        std::vector<Word>& page = of[index / PAGE];
        if (page.empty()) {
            if (page_count == MOST_PAGES) return nullptr;
            page.resize(PAGE);
            ++page_count;
        }
        return &page[index % PAGE];
    }
    // each_word calls f for the words of the access under way: the word, the mark with its bytes, where in the access
    // they begin and how many they are.
    template <class F>
    void each_word(F f) {
        const uintptr_t end = access.offset + access.size;
        for (uintptr_t at = access.offset; at < end;) {
            const unsigned low = at % 4, count = end - at < 4 - low ? unsigned(end - at) : 4 - low;
            access.mark.bytes = uint8_t(((1u << count) - 1) << low);
            if (Word* w = word(access.buffer, at / 4)) f(*w, access.mark, unsigned(at - access.offset), count);
            at += count;
        }
    }

    Place place_of(const Mark& m, Access kind) const;
    void suspect(const Word& w, const Mark& before, Access did, const char* lack);
    void settle();
    void written(Word& w, const Mark& m, bool changed);
    void read(Word& w, const Mark& m, Manner manner);

public:
    GridRaces(const Launch& l, uint3 cluster, uintptr_t image_base)
        : launch(l), image(image_base), shape(cluster), pages(size_t(l.nbuffers)) {}

    // start is called before the threads of a cluster run, whose first block is at `at` of the grid.
    void start(uint3 at, unsigned threads);
    void fence(const Fiber& f) { order.fence(number(f)); }
    void meet(const Fiber& f) { order.meet(number(f)); }
    void signal() { order.signal(); }
    // look is told of every access to a buffer that may be written.
    void look(const Fiber& f, unsigned buffer, uintptr_t offset, unsigned size, Access kind, Manner manner,
              const void* site);
    // finish says whether there was a race in the launch, and which was the first.
    bool finish(Fault& race);
};

inline void GridRaces::start(uint3 at, unsigned threads) {
    settle();
    if (running) pasts.push_back({first, order.signalled(), order.shown(), std::move(tickets)});
    tickets.clear();
    running = true;
    first = at;
    order = Order(threads);
}

inline bool GridRaces::finish(Fault& race) {
    settle();
    for (Suspect& s : suspects) {
        if (s.word->write.cluster == SYNCHRONISES) continue;
        race = std::move(s.fault);
        return true;
    }
    return false;
}

inline Place GridRaces::place_of(const Mark& m, Access kind) const {
    const unsigned threads = launch.block.x * launch.block.y * launch.block.z;
    const uint3 at = m.cluster == current() ? first : past(m).first, in = index_in(shape, m.thread / threads);
    return {reinterpret_cast<const void*>(image + m.site), {at.x + in.x, at.y + in.y, at.z + in.z},
            index_in(launch.block, m.thread % threads), verb(kind)};
}

// suspect remembers that the access under way is at odds with an earlier one.
inline void GridRaces::suspect(const Word& w, const Mark& before, Access did, const char* lack) {
    if (suspects.size() == MOST_SUSPECTS) return;
    auto name = [](uint3 v) {
        return "(" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + ")";
    };
    Fault race{"race", "", {place_of(access.mark, access.kind), place_of(before, did)}, 2};
    const Place &p = race.places[0], &q = race.places[1];
    race.message = "thread " + name(p.thread) + " " + p.access + " " + std::to_string(access.size) + " bytes at " +
                   "offset " + std::to_string(access.offset) + " of " + launch.buffers[access.buffer].name + ", which thread " +
                   name(q.thread) + " of block " + name(q.block) + " " + q.access + lack;
    suspects.push_back({&w, std::move(race)});
}

// take notes an atomic. Whoever changes many words is not one who takes tickets.
inline void GridRaces::take(const Ticket& t) {
    for (Ticket& old : tickets) {
        if (!old.same(t)) continue;
        old.time = t.time;
        return;
    }
    if (tickets.size() < MOST_TICKETS) tickets.push_back(t);
}

// by_ticket says whether the cluster that runs has changed a word by atomics that the writer changed after its write.
inline bool GridRaces::by_ticket(const Mark& m) const {
    for (const Ticket& theirs : past(m).tickets)
        for (const Ticket& ours : tickets)
            if (ours.same(theirs) && theirs.time > m.time) return true;
    return false;
}

// read holds one against the last write, and remembers it unless an earlier one may still be at odds with a write.
inline void GridRaces::read(Word& w, const Mark& m, Manner manner) {
    if (w.write.cluster == SYNCHRONISES) return;
    if (others(w.write, m.bytes) && !shown(w.write) && !(manner == VOLATILE && w.write.fenced && !by_ticket(w.write)))
        suspect(w, w.write, WRITE, " with no __threadfence before it tells other blocks");
    if (manner != VOLATILE && (!others(w.read, m.bytes) || told(w.read))) w.read = m;
}

// written holds a write against earlier accesses. What changes nothing is a write only where others wrote the same.
inline void GridRaces::written(Word& w, const Mark& m, bool changed) {
    if (w.write.cluster == SYNCHRONISES || (!changed && !w.write.cluster)) return;
    if (changed && others(w.write, m.bytes) && !shown(w.write))
        suspect(w, w.write, WRITE, ", another value, with no __threadfence before it tells other blocks");
    else if (changed && others(w.read, m.bytes) && !told(w.read) && !m.fenced)
        suspect(w, w.read, READ, " with nothing between that orders them");
    w.write = m;
}

// settle sees what the last write has changed, now that it is done.
inline void GridRaces::settle() {
    if (access.kind != WRITE) return;
    const unsigned char* now = static_cast<const unsigned char*>(launch.buffers[access.buffer].base) + access.offset;
    each_word([&](Word& w, const Mark& m, unsigned from, unsigned count) {
        written(w, m, memcmp(now + from, access.old + from, count) != 0);
    });
    access.kind = READ;
}

inline void GridRaces::look(const Fiber& f, unsigned buffer, uintptr_t offset, unsigned size, Access kind,
                            Manner manner, const void* site) {
    settle();
    const bool signals = kind == ATOMIC || (kind == WRITE && manner == VOLATILE);
    const bool compared = kind == WRITE && manner == PLAIN && size <= sizeof access.old;
    if (signals) order.signal();
    else if (kind == WRITE) order.store();
    if (kind == ATOMIC) take({buffer, offset, order.now});
    access.kind = compared ? WRITE : READ;
    access.buffer = buffer, access.size = size, access.offset = offset;
    access.mark = {current(), order.now, uint32_t(uintptr_t(site) - image), uint16_t(number(f)), 0, order.fenced()};
    if (compared) memcpy(access.old, static_cast<const unsigned char*>(launch.buffers[buffer].base) + offset, size);
    else each_word([&](Word& w, const Mark& m, unsigned, unsigned) {
        if (signals) w.write.cluster = SYNCHRONISES;
        else if (kind == READ) read(w, m, manner);
        else if (w.write.cluster != SYNCHRONISES) w.write = m;
    });
}

}  // namespace dw

#endif
