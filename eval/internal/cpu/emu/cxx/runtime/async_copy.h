// cp.async: issued copies queue up with their thread and land at the wait that covers their group.
#ifndef DW_ASYNC_COPY_H
#define DW_ASYNC_COPY_H

#include "darwarp/cp_async.cuh"
#include "check.h"

void dw_copy_async(void* shared, const void* global) {
    dw::Fiber& f = self();
    const void* site = __builtin_return_address(0);
    if (global) dw::look(global, 16, dw::READ, site, 16);
    dw::look(shared, 16, dw::ASYNC, site, 16);
    if (f.first + f.count == f.room) {
        if (f.first > 0) {
            memmove(f.copies, f.copies + f.first, f.count * sizeof(dw::Copy));
            f.first = 0;
        } else {
            f.room = f.room ? 2 * f.room : 32;
            f.copies = static_cast<dw::Copy*>(realloc(f.copies, f.room * sizeof(dw::Copy)));
        }
    }
    f.copies[f.first + f.count++] = {shared, global, f.groups, site};
}

void dw_copy_commit() { ++self().groups; }

void dw_copy_wait(unsigned pending) {
    dw::Fiber& f = self();
    while (f.count > 0 && f.copies[f.first].group + pending < f.groups) {
        const dw::Copy& c = f.copies[f.first];
        if (f.block->check) f.block->check->land(f, c);
        if (c.from) memcpy(c.to, c.from, 16);
        else memset(c.to, 0, 16);
        ++f.first;
        --f.count;
    }
    if (f.count == 0) f.first = 0;
}

#endif
