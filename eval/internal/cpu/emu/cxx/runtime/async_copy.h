// cp.async: issued copies queue up with their thread. One lands at any time from its issue to the wait that covers its
// group, most of them at that wait, and those that no wait covers by the end of their thread: over whatever has taken
// their place by then.
#ifndef DW_ASYNC_COPY_H
#define DW_ASYNC_COPY_H

#include "darwarp/cp_async.cuh"
#include "check.h"

namespace dw {

inline void land(Copy& c) {
    if (c.landed) return;
    c.landed = true;
    if (c.from) memcpy(c.to, c.from, c.bytes);
    else memset(c.to, 0, c.bytes);
}

// drift may let one of a thread's copies land before its time. Seldom: where a wait is missing, most must still be on
// their way.
inline void drift(Fiber& f) {
    if (f.count > 0 && f.block->rng.below(8) == 0) land(f.copies[f.first + f.block->rng.below(f.count)]);
}

inline void land_all(Fiber& f) {
    for (unsigned i = 0; i < f.count; ++i) land(f.copies[f.first + i]);
}

}  // namespace dw

using dw::self;

void dw_copy_async(void* shared, const void* global, unsigned bytes) {
    dw::Fiber& f = self();
    const void* site = __builtin_return_address(0);
    if (global) dw::look(global, bytes, dw::READ, site, bytes);
    dw::look(shared, bytes, dw::ASYNC, site, bytes);
    if (f.first + f.count == f.room) {
        if (f.first > 0) {
            memmove(f.copies, f.copies + f.first, f.count * sizeof(dw::Copy));
            f.first = 0;
        } else {
            f.room = f.room ? 2 * f.room : 32;
            f.copies = static_cast<dw::Copy*>(realloc(f.copies, f.room * sizeof(dw::Copy)));
        }
    }
    f.copies[f.first + f.count++] = {shared, global, f.groups, bytes, false, site};
    dw::drift(f);
}

void dw_copy_commit() { ++self().groups; }

void dw_copy_wait(unsigned pending) {
    dw::Fiber& f = self();
    while (f.count > 0 && f.copies[f.first].group + pending < f.groups) {
        dw::Copy& c = f.copies[f.first];
        if (f.block->check) f.block->check->land(f, c);
        dw::land(c);
        ++f.first;
        --f.count;
    }
    if (f.count == 0) f.first = 0;
}

#endif
