// How a cluster lets others know of what it wrote to global memory: by a fence, and then an atomic or a store that
// others look at. A block without a cluster is a cluster of its own.
#ifndef DW_ORDER_H
#define DW_ORDER_H

#include <stdint.h>

#include <vector>

namespace dw {

// Order is the time of one cluster, which steps on at each fence, atomic and meeting of threads. Fences are cumulative
// (PTX ISA, "Memory Consistency Model"): a thread's fence shows its own writes and those of every thread that has since
// met others, at a barrier or a warp-wide operation. Whom it met is not asked.
class Order {
    struct Thread {
        uint32_t fence = 0, told_fence = 0;  // its last fence; the last one that a store came after
        uint32_t met = 0, shown = 0;         // when it last met others; its writes before are shown
    };
    std::vector<Thread> threads;
    uint32_t last_fence = 0, told_fence = 0;  // of any thread
    uint32_t last_store = 0, last_signal = 0;

public:
    uint32_t now = 1;

    explicit Order(unsigned count = 0) : threads(count) {}

    void fence(unsigned thread) {
        Thread& t = threads[thread];
        if (last_store >= t.fence) t.told_fence = t.fence;
        if (last_store >= last_fence) told_fence = last_fence;
        t.fence = last_fence = last_signal = ++now;
    }
    void meet(unsigned thread) {
        Thread& t = threads[thread];
        if (last_fence > t.met) t.shown = t.met;
        t.met = ++now;
    }
    // store is a write that others may look at; signal is one that must be meant for others.
    void store() { last_store = now; }
    void signal() { last_store = last_signal = ++now; }

    bool fenced() const { return last_fence > 0; }
    uint32_t signalled() const { return last_signal; }

    // shown is, by thread, the time before which its writes are known to others; empty if none is.
    std::vector<uint32_t> shown() const {
        std::vector<uint32_t> out;
        if (!fenced()) return out;
        const uint32_t any = last_store >= last_fence ? last_fence : told_fence;
        for (const Thread& t : threads) {
            const uint32_t own = last_store >= t.fence ? t.fence : t.told_fence, met = any > t.met ? t.met : t.shown;
            out.push_back(own > met ? own : met);
        }
        return out;
    }
};

}  // namespace dw

#endif
