// What -fsanitize=thread makes a compiler call before each load and store. Its own library is not linked:
// these are the functions, and they look at an access as everything else does.
#ifndef DW_HOOKS_H
#define DW_HOOKS_H

#include "check.h"

namespace dw {

// checking is true while a launch that is checked runs: before it (constructors) there is no fiber.
static bool checking;

inline __attribute__((always_inline)) void hook(void* p, unsigned size, Access kind, const void* site, unsigned alignment, Manner manner = PLAIN) {
    if (!checking) return;
    if ((uintptr_t(p) ^ uintptr_t(__builtin_frame_address(0))) < 4096) return;  // near on this thread's stack: the most frequent case
    look(p, size, kind, site, alignment, manner);
}

}  // namespace dw

#define DW_HOOK extern "C" __attribute__((visibility("hidden")))
#define DW_HOOK_PAIR(NAME, SIZE, ALIGNMENT, MANNER)                                                                     \
    DW_HOOK void __tsan_##NAME##read##SIZE(void* p) { dw::hook(p, SIZE, dw::READ, __builtin_return_address(0), ALIGNMENT, MANNER); } \
    DW_HOOK void __tsan_##NAME##write##SIZE(void* p) { dw::hook(p, SIZE, dw::WRITE, __builtin_return_address(0), ALIGNMENT, MANNER); }
DW_HOOK_PAIR(, 1, 1, dw::PLAIN)
DW_HOOK_PAIR(, 2, 2, dw::PLAIN)
DW_HOOK_PAIR(, 4, 4, dw::PLAIN)
DW_HOOK_PAIR(, 8, 8, dw::PLAIN)
DW_HOOK_PAIR(, 16, 16, dw::PLAIN)
DW_HOOK_PAIR(unaligned_, 2, 1, dw::PLAIN)
DW_HOOK_PAIR(unaligned_, 4, 1, dw::PLAIN)
DW_HOOK_PAIR(unaligned_, 8, 1, dw::PLAIN)
DW_HOOK_PAIR(unaligned_, 16, 1, dw::PLAIN)
DW_HOOK_PAIR(volatile_, 1, 1, dw::VOLATILE)
DW_HOOK_PAIR(volatile_, 2, 2, dw::VOLATILE)
DW_HOOK_PAIR(volatile_, 4, 4, dw::VOLATILE)
DW_HOOK_PAIR(volatile_, 8, 8, dw::VOLATILE)
DW_HOOK_PAIR(volatile_, 16, 16, dw::VOLATILE)
DW_HOOK_PAIR(unaligned_volatile_, 2, 1, dw::VOLATILE)
DW_HOOK_PAIR(unaligned_volatile_, 4, 1, dw::VOLATILE)
DW_HOOK_PAIR(unaligned_volatile_, 8, 1, dw::VOLATILE)
DW_HOOK_PAIR(unaligned_volatile_, 16, 1, dw::VOLATILE)

DW_HOOK void __tsan_read_range(void* p, unsigned long n) { dw::hook(p, unsigned(n), dw::READ, __builtin_return_address(0), 1); }
DW_HOOK void __tsan_write_range(void* p, unsigned long n) { dw::hook(p, unsigned(n), dw::WRITE, __builtin_return_address(0), 1); }
DW_HOOK void __tsan_init() {}
DW_HOOK void __tsan_func_entry(void*) {}
DW_HOOK void __tsan_func_exit() {}
DW_HOOK void __tsan_vptr_update(void**, void*) {}
DW_HOOK void __tsan_vptr_read(void**) {}
DW_HOOK void __tsan_atomic_thread_fence(int) {}
// clang calls these where a kernel copies or clears memory as a whole.
DW_HOOK void* __tsan_memcpy(void* to, const void* from, unsigned long n) {
    dw::hook(const_cast<void*>(from), unsigned(n), dw::READ, __builtin_return_address(0), 1);
    dw::hook(to, unsigned(n), dw::WRITE, __builtin_return_address(0), 1);
    return memcpy(to, from, n);
}
DW_HOOK void* __tsan_memset(void* to, int v, unsigned long n) {
    dw::hook(to, unsigned(n), dw::WRITE, __builtin_return_address(0), 1);
    return memset(to, v, n);
}

void dw_poll(void* to, const void* from, unsigned bytes, unsigned alignment) {
    if (dw::checking) dw::look(from, bytes, dw::READ, __builtin_return_address(0), alignment, dw::VOLATILE);
    memcpy(to, from, bytes);
}

void dw_fence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    dw::Fiber& f = dw::self();
    if (f.block->check && f.block->check->grid) f.block->check->grid->fence(f);
}

void dw_move(void* to, const void* from, unsigned bytes) {
    if (dw::checking) {
        dw::look(from, bytes, dw::READ, __builtin_return_address(0), 1);
        dw::look(to, bytes, dw::WRITE, __builtin_return_address(0), 1);
    }
    memcpy(to, from, bytes);
}

#endif
