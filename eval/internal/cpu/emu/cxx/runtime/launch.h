// A launch: the blocks of a grid, in a seeded random order, on as many OS threads as there are processors.
#ifndef DW_LAUNCH_H
#define DW_LAUNCH_H

#include <atomic>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "cluster.h"
#include "hooks.h"
#include "report.h"
#include "schedule.h"

// The dynamic shared memory of the block that runs on this OS thread. A source's `extern __shared__` names are
// bound to it by the linker. A GPU has at most 227 KiB for a block.
constexpr uint32_t DW_SHARED_BYTES = 227 << 10;
extern "C" {
alignas(1024) __attribute__((visibility("hidden"))) thread_local unsigned char dw_dynamic_shared[DW_SHARED_BYTES];
}

// 1 in an object that was compiled with the hooks, 2 if those tell volatile accesses from others: the prelude of its source says so.
extern "C" __attribute__((visibility("hidden"))) const int dw_checked_build;

namespace dw {

constexpr int MAX_WORKERS = 256;
static Block* workers[MAX_WORKERS];
static Cluster alone[MAX_WORKERS];  // without clusters, each block is one
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

// look_around tells a block's checks where the memory of this OS thread lies.
inline Module look_around(const Launch& l, Block& b) {
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
    return m;
}

// place_in_order is where number i of the order lies in the grid.
inline uint64_t place_in_order(const Launch& l, uint64_t i) {
    return uint64_t((unsigned __int128)i * l.stride % l.blocks + l.offset) % l.blocks;
}

// work runs blocks until there are none left or one has failed.
inline void work(Launch& l, Block& b) {
    const Module m = look_around(l, b);
    while (!__atomic_load_n(&l.failed, __ATOMIC_RELAXED)) {
        const uint64_t i = __atomic_fetch_add(&l.next, 1, __ATOMIC_RELAXED);
        if (i >= l.blocks) return;
        poison(m.thread_local_storage, l.smem);
        b.prepare(index_in(l.grid, place_in_order(l, i)));
        b.cluster->start(0);
        b.run();
        if (b.fault.kind) __atomic_store_n(&l.failed, 1, __ATOMIC_RELAXED);
    }
}

// work_in_cluster is work for one rank of all clusters: blocks are clusters then. Nobody goes on to the next cluster
// before all have done with this one.
inline void work_in_cluster(Launch& l, Block& b) {
    Cluster& c = *b.cluster;
    const Module m = look_around(l, b);
    const uint3 clusters = {l.grid.x / c.shape.x, l.grid.y / c.shape.y, l.grid.z / c.shape.z}, inside = index_in(c.shape, b.rank);
    c.shared[b.rank] = dw_dynamic_shared;
    for (uint64_t i = 0; i < l.blocks && !c.failed; ++i) {
        const uint64_t number = place_in_order(l, i);
        const uint3 at = index_in(clusters, number);
        poison(m.thread_local_storage, l.smem);
        b.prepare({at.x * c.shape.x + inside.x, at.y * c.shape.y + inside.y, at.z * c.shape.z + inside.z});
        if (pthread_barrier_wait(&c.together) == PTHREAD_BARRIER_SERIAL_THREAD) c.start(l.options.seed ^ mix(~number));
        pthread_barrier_wait(&c.together);
        if (c.await(b.rank)) b.run();
        if (b.fault.kind) {
            l.failed = 1;
            c.fail();
        } else if (!c.failed) {
            c.pass(c.next_after(b.rank));
        }
        pthread_barrier_wait(&c.together);
    }
}

struct Job { Launch* launch; Block* block; };
inline void* worker_main(void* job) {
    const Job& j = *static_cast<Job*>(job);
    j.block->cluster->size > 1 ? work_in_cluster(*j.launch, *j.block) : work(*j.launch, *j.block);
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

// worker makes worker i if there is none yet: on the stacks that an earlier candidate left, if any.
inline Block* worker(int i) {
    if (workers[i]) return workers[i];
    workers[i] = new Block();
    if (i < kept_count) workers[i]->region = kept[i].region, workers[i]->room = unsigned(kept[i].room);
    return workers[i];
}

// ready gives worker i stacks for so many threads.
inline bool ready(int i, unsigned threads) {
    if (!worker(i)->make_room(threads)) return false;
    if (i < kept_count) kept[i] = {workers[i]->region, workers[i]->room};
    return true;
}

inline bool run_on(Launch& l, int count, unsigned threads, Cluster* cluster) {
    pthread_t others[MAX_WORKERS];
    Job jobs[MAX_WORKERS];
    for (int i = 0; i < count; ++i) {
        if (!ready(i, threads)) return false;
        workers[i]->rank = cluster ? unsigned(i) : 0;
        workers[i]->cluster = cluster ? cluster : &alone[i];
        workers[i]->cluster->blocks[workers[i]->rank] = workers[i];
        jobs[i] = {&l, workers[i]};
    }
    sigset_t all, before;  // signals are for the threads of whoever loaded us
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int started = 1;
    for (; started < count; ++started)
        if (pthread_create(&others[started], nullptr, worker_main, &jobs[started]) != 0) break;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (cluster && started < count) abort();  // half a cluster waits for the other half
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
    if (uint64_t(cluster[0]) * cluster[1] * cluster[2] - 1 >= MAX_CLUSTER) return "a cluster has 1 to 16 blocks";
    if (l.grid.x % cluster[0] || l.grid.y % cluster[1] || l.grid.z % cluster[2]) return "a grid is a whole number of clusters";
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

int dw_abi() { return 3; }
void dw_threads(int count) { dw::threads_wanted = count; }
void dw_keep_stacks(dw_stacks* table, int count) { dw::kept = table, dw::kept_count = count; }

// A block that watches its accesses is slow, and a clock would tell it so: under every other seed the clock is quick, and
// moves by one whenever it is read.
static std::atomic<unsigned long long> quick_clock;  // 0: as slow as it is

unsigned long long dw_nanoseconds() {
    if (quick_clock.load(std::memory_order_relaxed)) return quick_clock.fetch_add(1, std::memory_order_relaxed);
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long long)t.tv_sec * 1000000000ull + t.tv_nsec;
}

unsigned char* dw::shared_at(uint32_t offset) {
    return dw_dynamic_shared + (offset < DW_SHARED_BYTES ? long(offset) : long(offset) - (1 << 18));  // 18 bits: static variables lie before
}

size_t dw_shared_offset(const void* p) { return size_t(p) - size_t(dw_dynamic_shared); }

int dw_run(void* kernel, const uint32_t grid[3], const uint32_t block[3], const uint32_t cluster[3], uint32_t smem,
           const uint64_t* args, int nargs, const dw_buffer* buffers, int nbuffers, const dw_options* options,
           char* report, uint64_t capacity) {
    using namespace dw;
    Launch l{kernel, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, smem, {}, nargs, buffers, nbuffers, *options,
             uint64_t(grid[0]) * grid[1] * grid[2], 1, 0, 0, 0};
    const uint64_t threads = uint64_t(block[0]) * block[1] * block[2], chance = mix(options->seed ^ 0xc10c);
    quick_clock = options->races && chance & 1 ? chance >> 1 | 1 : 0;
    Fault trouble;
    if (const char* why = refused(l, threads, cluster)) trouble.kind = "trap", trouble.message = why;
    std::vector<Check*> checks;
    GridRaces* between_blocks = nullptr;
    if (!trouble.kind) {
        Cluster group;
        group.shape = {cluster[0], cluster[1], cluster[2]};
        group.size = cluster[0] * cluster[1] * cluster[2];
        const bool clustered = group.size > 1;
        l.blocks /= group.size;
        const int count = clustered ? int(group.size) : workers_for(l, unsigned(threads));
        checking = options->races || options->counters;
        if (options->races && dw_checked_build == 2) between_blocks = new GridRaces(l, group.shape, module_here().image.base);
        for (int i = 0; i < count; ++i) {
            worker(i)->check = nullptr;
            if (!checking) continue;
            checks.push_back(workers[i]->check = new Check());
            checks[i]->races = options->races;
            checks[i]->counting = options->counters;
            checks[i]->grid = between_blocks;
        }
        for (int i = 0; i < nargs; ++i) l.args[i] = args[i];
        order_blocks(l);
        if (clustered) pthread_barrier_init(&group.together, nullptr, group.size);
        if (!run_on(l, count, unsigned(threads), clustered ? &group : nullptr))
            trouble.kind = "trap", trouble.message = "no memory for the stacks of the threads";
        if (clustered) pthread_barrier_destroy(&group.together);
        checking = false;
        for (int i = 0; i < count; ++i) workers[i]->check = nullptr;
        if (between_blocks && !l.failed && !trouble.kind) between_blocks->finish(trouble);
        for (Check* c : checks) {
            if (!l.failed) c->counters.settle_all();
            if (c != checks[0]) checks[0]->counters.add(c->counters);
        }
    }
    const Fault* fault = trouble.kind ? &trouble : nullptr;
    for (int i = 0; i < MAX_WORKERS && l.failed && !fault; ++i)
        if (workers[i] && workers[i]->launch == &l && workers[i]->fault.kind) fault = &workers[i]->fault;
    if (capacity > 0) write_report(fault, options->counters && !checks.empty() ? &checks[0]->counters : nullptr, report, capacity);
    for (Check* c : checks) delete c;
    delete between_blocks;
    return fault ? 1 : 0;
}

#endif
