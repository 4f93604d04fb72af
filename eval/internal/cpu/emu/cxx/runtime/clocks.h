// What orders two accesses to shared memory: a barrier of the block or of the cluster between them, a __syncwarp that both
// threads took part in, or an mbarrier at which one arrived and for whose phase the other waited, and chains of these. Nothing
// else does: not the order in which threads happened to run, and not the other warp-wide operations.
#ifndef DW_CLOCKS_H
#define DW_CLOCKS_H

#include <stdint.h>
#include <string.h>

#include <vector>

#include "dw/fiber.h"

namespace dw {

constexpr uint32_t MAX_CLUSTER = 16, MAX_THREADS = 1024;
constexpr uint32_t WARPGROUPS = MAX_THREADS / 128;

// Stamp says who and when: the barriers of an agent's block so far, and the agent's own steps so far. Agents are the threads
// of a block by their number, and from MAX_THREADS on the tensor cores of its warpgroups.
struct Stamp {
    uint64_t bits = 0;  // epoch, clock, rank of the block in its cluster, agent: 27, 22, 4 and 11 bits; no epoch is 0
    static Stamp of(uint32_t epoch, uint32_t clock, uint32_t rank, uint32_t agent) {
        return {uint64_t(epoch) << 37 | uint64_t(clock & 0x3fffff) << 15 | rank << 11 | agent};
    }
    uint32_t epoch() const { return uint32_t(bits >> 37); }
    uint32_t clock() const { return uint32_t(bits >> 15) & 0x3fffff; }
    uint32_t rank() const { return uint32_t(bits >> 11) & 15; }
    uint32_t agent() const { return uint32_t(bits & 2047); }
    bool same_agent(Stamp o) const { return ((bits ^ o.bits) & 0x7fff) == 0; }
};

// Clocks are those of one block. What its threads know of other warps and blocks comes from mbarriers: a row of numbers for
// each thread, the clocks of all agents of the cluster by rank and agent, then the epochs of its blocks. Rows are made when the first
// mbarrier or wgmma needs them.
class Clocks {
    uint32_t epoch = 0, first = 0, rank = 0, size = 1, threads = 0;
    Clocks* of[MAX_CLUSTER] = {this};
    uint32_t seen[MAX_CLUSTER] = {};  // epochs of other blocks that a barrier of the cluster has shown to all threads
    uint32_t known[32][32][32];       // of a warp: what a lane knows of another lane's clock; its own is the clock
    std::vector<uint32_t> rows;
    std::vector<Stamp> fenced;        // a thread's last fence.proxy.async

    uint32_t width() const { return size * (threads + WARPGROUPS) + size; }
    uint32_t column(uint32_t r, uint32_t agent) const { return r * (threads + WARPGROUPS) + (agent < MAX_THREADS ? agent : threads + agent - MAX_THREADS); }
    uint32_t epoch_column(uint32_t r) const { return size * (threads + WARPGROUPS) + r; }
    uint32_t* row(uint32_t thread) { return &rows[size_t(thread) * width()]; }
    const uint32_t* row(uint32_t thread) const { return &rows[size_t(thread) * width()]; }

    static void join(uint32_t* into, const uint32_t* from, uint32_t n) {
        for (uint32_t i = 0; i < n; ++i) into[i] = from[i] > into[i] ? from[i] : into[i];
    }
    // knows is asked of the clocks of the thread that is here now.
    bool knows(Stamp now, Stamp before) const {
        const uint32_t a = before.agent(), b = now.agent();
        if (before.rank() == rank) {
            if (before.epoch() != now.epoch() || a == b) return true;
            if (a / 32 == b / 32 && known[a / 32][b % 32][a % 32] >= before.clock()) return true;
        } else if (before.epoch() < seen[before.rank()]) {
            return true;
        }
        if (rows.empty()) return false;
        const uint32_t* mine = row(b);
        return before.epoch() < mine[epoch_column(before.rank())] || mine[column(before.rank(), a)] >= before.clock();
    }
    // share makes what one of the lanes knows of other warps known to all of them.
    template <class Each>
    void share(Each each) {
        std::vector<uint32_t> joined(width());
        each([&](uint32_t t) { join(joined.data(), row(t), width()); });
        each([&](uint32_t t) { memcpy(row(t), joined.data(), width() * sizeof joined[0]); });
    }

public:
    // A block's epochs are above those of the blocks before it: what those left behind counts as never written.
    void start_block() {
        ++epoch;
        rows.clear();
        fenced.clear();
        for (auto& warp : known)
            for (int l = 0; l < 32; ++l)
                for (int o = 0; o < 32; ++o) warp[l][o] = l == o;
    }
    uint32_t now_epoch() const { return epoch; }
    // start_cluster makes a block's clocks those of rank r of a cluster whose epochs begin at the same number.
    void start_cluster(Clocks* const* all, uint32_t n, uint32_t r, uint32_t begin, uint32_t threads_of_block) {
        epoch = first = begin;
        size = n, rank = r, threads = threads_of_block;
        for (uint32_t i = 0; i < n; ++i) of[i] = all[i], seen[i] = 0;
    }
    // next_epoch is a barrier of the block: its threads have learned from each other what they know of other blocks, too.
    void next_epoch() {
        ++epoch;
        if (size > 1 && !rows.empty())
            share([&](auto f) { for (uint32_t t = 0; t < threads; ++t) f(t); });
    }
    // see is a barrier of the cluster, once all its blocks have begun their next epoch.
    void see() {
        for (uint32_t i = 0; i < size; ++i) seen[i] = of[i]->epoch;
    }
    Stamp now(const Fiber& f) const { return Stamp::of(epoch, known[f.warp][f.lane][f.lane], rank, f.number); }
    // again is an earlier stamp of this block in today's epoch: only who knows of it by other means than a barrier does so.
    Stamp again(Stamp then) const { return Stamp::of(epoch, then.clock(), rank, then.agent()); }
    Stamp engine(uint32_t warpgroup, uint32_t clock) const { return Stamp::of(epoch, clock, rank, MAX_THREADS + warpgroup); }
    bool ordered(Stamp before, Stamp now) const { return of[now.rank()]->knows(now, before); }
    bool recent(Stamp s) const { return s.epoch() >= first; }

    void sync(unsigned warp, uint32_t lanes) {
        uint32_t joined[32] = {};
        for (int l = 0; l < 32; ++l)
            if (lanes >> l & 1) join(joined, known[warp][l], 32);
        for (int l = 0; l < 32; ++l) {
            if (!(lanes >> l & 1)) continue;
            memcpy(known[warp][l], joined, sizeof joined);
            ++known[warp][l][l];
        }
        if (!rows.empty())
            share([&](auto f) { for (uint32_t rest = lanes; rest; rest &= rest - 1) f(warp * 32 + uint32_t(__builtin_ctz(rest))); });
    }

    // tick begins a thread's next step: what it does from now on is not yet known to those who know of the step before.
    void tick(const Fiber& f) { ++known[f.warp][f.lane][f.lane]; }

    // widen makes the rows, of all blocks of the cluster.
    void widen() {
        if (!rows.empty()) return;
        for (uint32_t i = 0; i < size; ++i) {
            of[i]->rows.assign(size_t(threads) * width(), 0);
            of[i]->fenced.assign(threads, Stamp{});
        }
    }

    // tell adds to `sum` what a thread knows, itself included; learn is the other way round.
    void tell(const Fiber& f, std::vector<uint32_t>& sum) {
        sum.resize(width());
        join(sum.data(), row(f.number), width());
        for (uint32_t o = 0, a = f.warp * 32; o < 32 && a < threads; ++o, ++a)
            if (known[f.warp][f.lane][o] > sum[column(rank, a)]) sum[column(rank, a)] = known[f.warp][f.lane][o];
        for (uint32_t i = 0; i < size; ++i)
            if (seen[i] > sum[epoch_column(i)]) sum[epoch_column(i)] = seen[i];
        sum[epoch_column(rank)] = epoch;
        tick(f);
    }
    // tell_of adds one step of another agent.
    void tell_of(Stamp s, std::vector<uint32_t>& sum) const {
        sum.resize(width());
        uint32_t& clock = sum[column(s.rank(), s.agent())];
        if (clock < s.clock()) clock = s.clock();
    }
    void learn(const Fiber& f, const std::vector<uint32_t>& sum) {
        if (!sum.empty()) join(row(f.number), sum.data(), width());
    }
    void learn_of(const Fiber& f, Stamp s) {
        uint32_t& clock = row(f.number)[column(s.rank(), s.agent())];
        if (clock < s.clock()) clock = s.clock();
    }
    void fence(const Fiber& f) {
        if (f.number < fenced.size()) fenced[f.number] = now(f);
        tick(f);
    }
    // is_fenced says whether a thread has called fence.proxy.async since it wrote.
    bool is_fenced(Stamp write) const {
        const std::vector<Stamp>& there = of[write.rank()]->fenced;
        if (write.agent() >= there.size()) return false;
        const Stamp fence = there[write.agent()];
        return fence.epoch() > write.epoch() || (fence.epoch() == write.epoch() && fence.clock() >= write.clock());
    }
};

}  // namespace dw

#endif
