// launch.h of a packing gemm_w4a16 against a CUDA runtime that only writes down: a line for each call, with its status and
// the kernels that it enqueued, each with its first two arguments, addresses.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <string>
#include "launch.h"

static std::string launches;

extern "C" {
#define ENTRIES(NAME, FIRST) const void* NAME(int entry) { return (const void*)intptr_t(FIRST + entry); }
UNITS
cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void* kernel, void** args) {
    char text[64];
    std::snprintf(text, sizeof text, " %d(%llx,%llx)", int(intptr_t(kernel)), (unsigned long long)*(uintptr_t*)args[0], (unsigned long long)*(uintptr_t*)args[1]);
    launches += text;
    return cudaSuccess;
}
}

static void tell(const char* what, cudaError_t status) {
    std::printf("%s: %s%s\n", what, status == cudaSuccess ? "ok" : status == cudaErrorInvalidValue ? "invalid" : "?", launches.c_str());
    launches.clear();
}

int main() {
    using namespace NAMESPACE;
    const auto B = (const unsigned char*)0xb000;
    void* const at = (void*)0x10000;
    char workspace[256];
    const long long n = 100, k = 512, group = 128;
    const size_t bytes = packed_bytes(n, k, group);
    std::printf("bytes: %zu\n", bytes);
    tell("prepare", prepare(B, at, bytes, n, k, group, nullptr));
    tell("prepare, a byte less", prepare(B, at, bytes - 1, n, k, group, nullptr));
    tell("prepare, a byte more", prepare(B, at, bytes + 1, n, k, group, nullptr));
    tell("prepare, nowhere", prepare(B, nullptr, bytes, n, k, group, nullptr));
    tell("prepare, misaligned", prepare(B, (void*)0x10008, bytes, n, k, group, nullptr));
    tell("prepare, no such weights", prepare(B, at, packed_bytes(n, 500, group), n, 500, group, nullptr));
    const auto call = [&](long long m, const void* packed, size_t size) {
        return launch((const __half*)0xa000, B, (const __half*)0x5000, (const unsigned char*)0x6000, (__half*)0xc000, packed, size, workspace, m, n, k, group, nullptr);
    };
    for (long long m : {1, 8, 16}) tell(("launch of " + std::to_string(m)).c_str(), call(m, at, bytes));
    tell("launch, other weights' bytes", call(1, at, packed_bytes(n + 8, k, group)));
    tell("launch, nothing packed", call(1, nullptr, 0));
    tell("launch, nowhere", call(1, nullptr, bytes));
}
