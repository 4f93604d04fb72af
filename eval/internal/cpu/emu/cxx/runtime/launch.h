// A launch: the blocks of a grid, in a seeded random order, on as many OS threads as there are processors.
#ifndef DW_LAUNCH_H
#define DW_LAUNCH_H

#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "hooks.h"
#include "report.h"
#include "schedule.h"

// The dynamic shared memory of the block that runs on this OS thread. A source's `extern __shared__` names are
// bound to it by the linker. A GPU has at most 227 KiB for a block.
constexpr uint32_t DW_SHARED_BYTES = 227 << 10;
extern "C" {
alignas(1024) __attribute__((visibility("hidden"))) thread_local unsigned char dw_dynamic_shared[DW_SHARED_BYTES];
}

// 1 in an object that was compiled with the hooks: the prelude of its source says so.
extern "C" __attribute__((visibility("hidden"))) const int dw_checked_build;

namespace dw {

constexpr int MAX_WORKERS = 256;
static Block* workers[MAX_WORKERS];
static int threads_wanted;
static dw_stacks* kept;  // of the process, by worker
static int kept_count;

// find_module finds this shared object: where it lies, and where this OS thread's variables of it are.
struct Module {
    Range image, thread_local_storage;
    const char* path;
};
inline int find_module(dl_phdr_info* info, size_t, void* out) {
    Module& m = *static_cast<Module*>(out);
    Module found{{}, {}, info->dlpi_name};
    uintptr_t end = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& p = info->dlpi_phdr[i];
        const uintptr_t at = info->dlpi_addr + p.p_vaddr;
        if (p.p_type == PT_LOAD) {
            if (!found.image.base || at < found.image.base) found.image.base = at;
            if (at + p.p_memsz > end) end = at + p.p_memsz;
        } else if (p.p_type == PT_TLS) {
            found.thread_local_storage = {uintptr_t(info->dlpi_tls_data), p.p_memsz};
        }
    }
    found.image.bytes = end - found.image.base;
    if (!found.image.holds(uintptr_t(&dw_enter))) return 0;
    m = found;
    return 1;
}

inline Module module_here() {
    Module m{};
    volatile unsigned char* touched = dw_dynamic_shared;  // makes this OS thread's copy, if there is none yet
    touched[0] = 0;
    dl_iterate_phdr(find_module, &m);
    return m;
}

// poison fills shared memory with bytes that are a NaN in every floating-point type, and -1.
inline void poison(const Range& tls, uint32_t smem) {
    const uintptr_t dynamic = uintptr_t(dw_dynamic_shared), end = dynamic + DW_SHARED_BYTES;
    memset(reinterpret_cast<void*>(tls.base), 0xff, dynamic - tls.base);
    memset(dw_dynamic_shared, 0xff, smem);
    memset(reinterpret_cast<void*>(end), 0xff, tls.base + tls.bytes - end);
}

// work runs blocks until there are none left or one has failed.
inline void work(Launch& l, Block& b) {
    const Module m = module_here();
    b.launch = &l;
    b.fault.kind = nullptr;
    if (b.check) {
        b.check->image = m.image;
        b.check->variables = thread_local_variables(m.path);
        b.check->thread_local_storage = m.thread_local_storage;
        b.check->dynamic = {uintptr_t(dw_dynamic_shared), DW_SHARED_BYTES};
        b.check->stacks = {b.region, REGION};
    }
    while (!__atomic_load_n(&l.failed, __ATOMIC_RELAXED)) {
        const uint64_t i = __atomic_fetch_add(&l.next, 1, __ATOMIC_RELAXED);
        if (i >= l.blocks) return;
        poison(m.thread_local_storage, l.smem);
        b.run(uint64_t((unsigned __int128)i * l.stride % l.blocks + l.offset) % l.blocks);
        if (b.fault.kind) __atomic_store_n(&l.failed, 1, __ATOMIC_RELAXED);
    }
}

struct Job { Launch* launch; Block* block; };
inline void* worker_main(void* job) {
    work(*static_cast<Job*>(job)->launch, *static_cast<Job*>(job)->block);
    return nullptr;
}

inline int processors() {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// workers_for says how many OS threads are worth starting: one costs as much as a few hundred short threads.
inline int workers_for(const Launch& l, unsigned threads) {
    if (l.options.races || l.options.counters) return 1;  // one at a time, so that the shadow is one
    uint64_t n = threads_wanted > 0 ? threads_wanted : processors();
    if (n > l.blocks) n = l.blocks;
    if (n > 1 + l.blocks * threads / 256) n = 1 + l.blocks * threads / 256;
    return n < MAX_WORKERS ? int(n) : MAX_WORKERS;
}

// order_blocks chooses an order of all blocks: steps of a stride that has no factor in common with their number.
inline void order_blocks(Launch& l) {
    Rng rng(l.options.seed + 1);
    const uint32_t some = l.blocks < (1u << 31) ? uint32_t(l.blocks) : 1u << 31;
    l.offset = rng.below(some);
    auto gcd = [](uint64_t a, uint64_t b) { while (b) { const uint64_t r = a % b; a = b; b = r; } return a; };
    do l.stride = 1 + rng.below(some);
    while (gcd(l.stride, l.blocks) != 1);
}

// ready gives worker i stacks for so many threads.
inline bool ready(int i, unsigned threads) {
    if (!workers[i]) {
        workers[i] = new Block();
        if (i < kept_count) workers[i]->region = kept[i].region, workers[i]->room = unsigned(kept[i].room);
    }
    if (!workers[i]->make_room(threads)) return false;
    if (i < kept_count) kept[i] = {workers[i]->region, workers[i]->room};
    return true;
}

inline bool run_on(Launch& l, int count, unsigned threads) {
    pthread_t others[MAX_WORKERS];
    Job jobs[MAX_WORKERS];
    for (int i = 0; i < count; ++i) {
        if (!ready(i, threads)) return false;
        jobs[i] = {&l, workers[i]};
    }
    sigset_t all, before;  // signals are for the threads of whoever loaded us
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int started = 1;
    for (; started < count; ++started)
        if (pthread_create(&others[started], nullptr, worker_main, &jobs[started]) != 0) break;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    worker_main(&jobs[0]);
    for (int i = 1; i < started; ++i) pthread_join(others[i], nullptr);
    return true;
}

// refused is what makes a launch impossible, or null.
inline const char* refused(const Launch& l, uint64_t threads, const uint32_t cluster[3]) {
    if (threads == 0 || threads > 1024) return "a block has 1 to 1024 threads";
    if (l.blocks == 0) return "a grid has at least one block";
    if (l.nargs < 0 || l.nargs > 24) return "a kernel has at most 24 arguments here";
    if (l.smem > DW_SHARED_BYTES) return "a block has at most 227 KiB of dynamic shared memory";
    if (cluster && uint64_t(cluster[0]) * cluster[1] * cluster[2] > 1) return "thread block clusters are not emulated";
    if ((l.options.races || l.options.counters) && !dw_checked_build) return "the object was compiled without the hooks that checks and counters need";
    return nullptr;
}

// What dlclose leaves behind: stacks that are kept, nothing else.
struct Cleanup {
    ~Cleanup() {
        for (int w = 0; w < MAX_WORKERS; ++w) {
            Block* b = workers[w];
            if (!b) continue;
            if (w >= kept_count) {
                for (unsigned i = 0; i < b->room; ++i) free(b->fiber(i).copies);
                munmap(reinterpret_cast<void*>(b->region), REGION);
            }
            delete b;
        }
    }
};
static Cleanup cleanup;

}  // namespace dw

int dw_abi() { return 2; }
void dw_threads(int count) { dw::threads_wanted = count; }
void dw_keep_stacks(dw_stacks* table, int count) { dw::kept = table, dw::kept_count = count; }

unsigned long long dw_nanoseconds() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long long)t.tv_sec * 1000000000ull + t.tv_nsec;
}

size_t dw_shared_offset(const void* p) { return size_t(p) - size_t(dw_dynamic_shared); }

int dw_run(void* kernel, const uint32_t grid[3], const uint32_t block[3], const uint32_t cluster[3], uint32_t smem,
           const uint64_t* args, int nargs, const dw_buffer* buffers, int nbuffers, const dw_options* options,
           char* report, uint64_t capacity) {
    using namespace dw;
    Launch l{kernel, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, smem, {}, nargs, buffers, nbuffers, *options,
             uint64_t(grid[0]) * grid[1] * grid[2], 1, 0, 0, 0};
    const uint64_t threads = uint64_t(block[0]) * block[1] * block[2];
    Fault trouble;
    if (const char* why = refused(l, threads, cluster)) trouble.kind = "trap", trouble.message = why;
    Check* check = nullptr;
    if (!trouble.kind) {
        if (options->races || options->counters) {
            check = new Check();
            check->races = options->races;
            check->counting = options->counters;
        }
        for (int i = 0; i < nargs; ++i) l.args[i] = args[i];
        order_blocks(l);
        const bool room = ready(0, unsigned(threads));
        workers[0]->check = check;
        checking = check != nullptr;
        if (!room || !run_on(l, workers_for(l, unsigned(threads)), unsigned(threads)))
            trouble.kind = "trap", trouble.message = "no memory for the stacks of the threads";
        checking = false;
        workers[0]->check = nullptr;
        if (check && !l.failed) check->counters.settle_all();
    }
    const Fault* fault = trouble.kind ? &trouble : nullptr;
    for (int i = 0; i < MAX_WORKERS && l.failed && !fault; ++i)
        if (workers[i] && workers[i]->launch == &l && workers[i]->fault.kind) fault = &workers[i]->fault;
    if (capacity > 0) write_report(fault, check && check->counting ? &check->counters : nullptr, report, capacity);
    delete check;
    return fault ? 1 : 0;
}

#endif
