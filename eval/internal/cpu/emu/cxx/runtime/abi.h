// What a shared object offers to whoever loads it. ABI version 3; numbers are little-endian as everywhere here.
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

// A tensor map: how boxes of a dense row-major tensor are copied. Sizes are elements, outermost dimension first.
struct dw_tensor_map {
    const char* name;
    void* base;
    uint64_t shape[5];
    uint32_t box[5];
    uint32_t rank;
    uint32_t element;  // bytes
    uint32_t swizzle;  // bytes: 0, 32, 64 or 128
};

struct dw_options {
    uint64_t seed;  // of the order of blocks and threads
    int races;      // check every access; the object must have been compiled for it
    int counters;   // count bank conflicts and sectors by access site; likewise
};

// The stacks of one OS thread's share of a launch. Making them costs more than many a launch does.
struct dw_stacks {
    uintptr_t region;  // 0: none yet
    uint64_t room;     // how many are ready
};

// Runs one launch and returns 0, or 1 after a fault. The report is a NUL-terminated JSON object: after a
// fault {"kind", "message", "file", "line", "threads": [{"block", "thread", "access", "file", "line"}]}, with
// counters also "sites". Arguments are pointers, tensor maps
// by their address, or integers extended to 64 bits; at most 24.
DW_EXPORT int dw_run(void* kernel, const uint32_t grid[3], const uint32_t block[3], const uint32_t cluster[3],
                     uint32_t smem, const uint64_t* args, int nargs, const dw_buffer* buffers, int nbuffers,
                     const dw_options* options, char* report, uint64_t capacity);
DW_EXPORT int dw_abi();
// Sets how many OS threads share the blocks of a launch; 0: one per processor (the default).
DW_EXPORT void dw_threads(int count);
// Takes stacks from a table, cleared at first, and leaves them there when it is unloaded: programs that are loaded one
// after the other share them. Without it each has its own.
DW_EXPORT void dw_keep_stacks(dw_stacks* table, int count);

#endif
