// The keywords of CUDA C++ that a C++ compiler does not know.
#ifndef DW_KEYWORDS_H
#define DW_KEYWORDS_H

// One block runs on one OS thread at a time, so a variable per OS thread is a variable per block.
// This one spelling fits both forms: `__shared__ float a[4]` in a function is static by itself, and
// `extern __shared__ float a[]` declares a name that the linker binds to the runtime's array.
#define __shared__ thread_local

#define __global__ __attribute__((visibility("default"), noinline))
#define __device__
#define __host__
// Read-only once the loader has bound its addresses (LinkOptions), as constant memory is to a kernel. A section each,
// since compilers do not put const and other variables into one.
#define DW_TEXT(x) #x
#define DW_SECTION(number) ".data.rel.ro.dw" DW_TEXT(number)
#define __constant__ __attribute__((section(DW_SECTION(__COUNTER__))))
#define __managed__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))

#ifndef __clang__
#define __builtin_assume(condition) ((void)0)
#endif

// Seen by code that asks who compiles it. The architecture is that of the functions we have.
#define __CUDACC_RTC__ 1
#define __CUDA_ARCH__ 900
#define __DARWARP_CPU__ 1

#if defined(__SANITIZE_THREAD__)
#define DW_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DW_CHECKED 1
#endif
#endif

// The runtime is a second object of the same shared object: calls to it are direct.
#define DW_RUNTIME extern "C" __attribute__((visibility("hidden")))
// Our own bookkeeping is not the kernel's memory access.
#define DW_UNCHECKED __attribute__((no_sanitize_thread, noinline))

#endif
