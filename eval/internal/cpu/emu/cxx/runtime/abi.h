// What a shared object offers to whoever loads it. ABI version 1; numbers are little-endian as everywhere here.
#ifndef DW_ABI_H
#define DW_ABI_H

#include <stdint.h>

#define DW_EXPORT extern "C" __attribute__((visibility("default")))

// Global memory that a launch may touch.
struct dw_buffer {
    const char* name;
    void* base;
    uint64_t bytes;
    int writable;
};

struct dw_options {
    uint64_t seed;  // of the order of blocks and threads
    int races;      // check every access; the object must have been compiled for it
    int counters;   // count bank conflicts and sectors by access site; likewise
};

// Runs one launch and returns 0, or 1 after a fault. The report is a NUL-terminated JSON object: after a
// fault {"kind", "message", "file", "line", "threads": [{"block", "thread", "access", "file", "line"}]}, with
// counters also "sites". Arguments are pointers, or integers extended to 64 bits; at most 24.
DW_EXPORT int dw_run(void* kernel, const uint32_t grid[3], const uint32_t block[3], const uint32_t cluster[3],
                     uint32_t smem, const uint64_t* args, int nargs, const dw_buffer* buffers, int nbuffers,
                     const dw_options* options, char* report, uint64_t capacity);
DW_EXPORT int dw_abi();
// Sets how many OS threads share the blocks of a launch; 0: one per processor (the default).
DW_EXPORT void dw_threads(int count);

#endif
