// launch.h of the problem scale against a CUDA runtime and driver that only say what they were asked for: for each pair of
// sizes on standard input one line of JSON, the status of launch and the kernels that it enqueued. The mode (first argument)
// is what goes wrong in the driver: nothing, "refuses" a map, or is "old" and has no maps; or "100" and "75", the compute
// capability of a GPU that is none of 9.0.
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <string>
#ifdef EARLIER  // a toolkit of before 12.5
#undef CUDART_VERSION
#define CUDART_VERSION 12040
#endif
#include "launch.h"

static std::string mode, launches;
static std::vector<std::string> maps;  // what each encoded map was made of

template <class N> std::string list(const N* all, size_t n) {
    std::string s = "[";
    for (size_t i = 0; i < n; ++i) s += (i ? "," : "") + std::to_string(all[i]);
    return s + "]";
}

static CUresult encode_tiled(CUtensorMap* out, CUtensorMapDataType type, cuuint32_t rank, void* at, const cuuint64_t* shape, const cuuint64_t* strides,
                             const cuuint32_t* box, const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                             CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    if (mode == "refuses" || uintptr_t(out) % 64 != 0) return CUDA_ERROR_INVALID_VALUE;
    out->opaque[0] = maps.size();
    const int flags[] = {interleave, swizzle, promotion, fill};
    maps.push_back("{\"type\":" + std::to_string(type) + ",\"at\":" + std::to_string(uintptr_t(at)) + ",\"shape\":" + list(shape, rank) + ",\"strides\":" +
                   list(strides, rank - 1) + ",\"box\":" + list(box, rank) + ",\"steps\":" + list(steps, rank) + ",\"flags\":" + list(flags, 4) + "}");
    return CUDA_SUCCESS;
}

extern "C" {
const void* UNIT_0(int entry) { return (const void*)intptr_t(100 + entry); }
#ifdef UNIT_1
const void* UNIT_1(int entry) { return (const void*)intptr_t(200 + entry); }
#endif
cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr what, int) {
    const int capability = mode == "100" || mode == "75" ? std::stoi(mode) : 90;
    *value = what == cudaDevAttrComputeCapabilityMajor ? capability / 10 : what == cudaDevAttrComputeCapabilityMinor ? capability % 10 : 0;
    return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version, unsigned long long flags, cudaDriverEntryPointQueryResult* result) {
    const bool known = std::string(symbol) == "cuTensorMapEncodeTiled" && version == 12000 && flags == cudaEnableDefault && mode != "old";
    *function = known ? (void*)encode_tiled : nullptr;
    *result = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags, cudaDriverEntryPointQueryResult* result) {
    return cudaGetDriverEntryPointByVersion(symbol, function, 12000, flags, result);
}
// The first entry of a unit takes a map and a pointer, the second two pointers; then come the sizes.
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** args) {
    const bool mapped = intptr_t(kernel) % 100 == 0;
    const unsigned grid[] = {config->gridDim.x, config->gridDim.y, config->gridDim.z};
    unsigned cluster = 1;
    for (unsigned i = 0; i < config->numAttrs; ++i)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) cluster = config->attrs[i].val.clusterDim.x;
    launches += std::string(launches.empty() ? "" : ",") + "{\"kernel\":" + std::to_string(intptr_t(kernel)) + ",\"grid\":" + list(grid, 3) + ",\"cluster\":" +
                std::to_string(cluster) + ",\"map\":" + (mapped ? maps[static_cast<CUtensorMap*>(args[0])->opaque[0]] : "null") + ",\"y\":" +
                std::to_string(*static_cast<const uintptr_t*>(args[1])) + ",\"sizes\":[" + std::to_string(*static_cast<int*>(args[2])) + "," +
                std::to_string(*static_cast<int*>(args[3])) + "]}";
    return cudaSuccess;
}
}

int main(int argc, char** argv) {
    if (argc > 1) mode = argv[1];
    long long rows, columns;
    while (std::scanf("%lld %lld", &rows, &columns) == 2) {
        launches.clear();
        const cudaError_t status = NAMESPACE::launch((const ELEMENT*)0x10000, (ELEMENT*)0x20000, nullptr, rows, columns, nullptr);
        std::printf("{\"status\":%d,\"launches\":[%s]}\n", status, launches.c_str());
    }
}
