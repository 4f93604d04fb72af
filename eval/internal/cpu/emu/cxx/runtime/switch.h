// The switch from one stack to another: what a call must preserve is pushed, the stack pointers are
// exchanged, and the other side's return address is where it goes on.
#ifndef DW_SWITCH_H
#define DW_SWITCH_H

extern "C" __attribute__((visibility("hidden"))) void dw_switch(void** save, void* to);
extern "C" __attribute__((visibility("hidden"))) void dw_enter();  // a fiber's first code

#if defined(__x86_64__)
__asm__(R"(
.text
.p2align 4
.hidden dw_switch
.globl dw_switch
.type dw_switch,@function
dw_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size dw_switch,.-dw_switch
)");
#elif defined(__aarch64__)
__asm__(R"(
.text
.p2align 4
.hidden dw_switch
.globl dw_switch
.type dw_switch,%function
dw_switch:
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size dw_switch,.-dw_switch
)");
#endif

namespace dw {

// fresh_stack writes the frame that dw_switch pops, so that the first switch to it enters dw_enter. `top`
// is 64-byte aligned; on x86-64 a function is entered 8 bytes off a multiple of 16.
inline void* fresh_stack(void* top) {
    void** sp = static_cast<void**>(top);
#if defined(__x86_64__)
    *--sp = nullptr;                                // dw_enter's return address: it never returns
    *--sp = reinterpret_cast<void*>(&dw_enter);
    for (int i = 0; i < 6; ++i) *--sp = nullptr;
#elif defined(__aarch64__)
    sp -= 20;
    for (int i = 0; i < 20; ++i) sp[i] = nullptr;
    sp[11] = reinterpret_cast<void*>(&dw_enter);    // x30
#endif
    return sp;
}

}  // namespace dw

#endif
