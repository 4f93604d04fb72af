// What a block has of wgmma: for each warpgroup the multiplications that its threads have asked for and not waited for.
#ifndef DW_WARPGROUP_H
#define DW_WARPGROUP_H

#include <deque>
#include <list>
#include <string>
#include <vector>

#include "shadow.h"

namespace dw {

// Sums are the 64 x n sums of a warpgroup while its threads' registers are the tensor cores'.
struct Sums {
    int n;
    unsigned first;             // the first multiplication into them
    unsigned holders;           // threads whose registers are not theirs
    float* registers[128];      // null: this thread's are its own
    unsigned last[128];         // the last multiplication into them that a thread has asked for
    const void* site;
    std::vector<float> tile;    // row-major
};

// Wgmma is one multiplication; it is done once all 128 threads have asked for it and one of them waits for it.
struct Wgmma {
    int kind, n;
    uint64_t a, b;
    bool add;
    bool held;             // A is in registers
    bool rows_a, rows_b;   // an operand in shared memory has a row for each k
    unsigned asked;        // by so many threads
    const Fiber* first;    // of them
    const void* site;
    uint8_t looker[4];     // in each warp, the lane that looks at the operands for all
    Sums* sums;
    Stamp then;            // when the last one asked
    std::vector<float> left;  // A, where it came from registers
};

struct Warpgroup {
    // Member is one of its threads. Registers are its own again after a wait; what is in them then must not change without a fence.
    struct Member {
        unsigned asked = 0;
        bool fenced = false;
        std::vector<unsigned> groups;  // committed: multiplications asked for before each commit
        std::vector<std::pair<const float*, uint64_t>> given_back;
    };
    std::deque<Wgmma> queue;
    unsigned done = 0;  // multiplications before the queue
    std::list<Sums> sums;
    std::vector<Fiber*> waiting;
    Member member[128];

    std::string say() const {
        return "a wgmma of its warpgroup that " + std::to_string(queue.empty() ? 0 : queue.front().asked) + " of 128 threads have asked for";
    }
};

}  // namespace dw

#endif
