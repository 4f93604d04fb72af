// Launches one kernel of a cubin once, for compute-sanitizer to watch:
//   launch CUBIN ENTRY GRID BLOCK BYTES ARGUMENT...
// GRID and BLOCK are three numbers each, BYTES is dynamic shared memory. An argument is an integer, or a buffer of so
// many bytes: int:BYTES holds 0, 1, 2 ..., half:BYTES random fp16 numbers, raw:BYTES nothing that was written.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void check(CUresult r, const char* what) {
    const char* text = "";
    if (r == CUDA_SUCCESS) return;
    cuGetErrorString(r, &text);
    std::fprintf(stderr, "%s: %s\n", what, text);
    std::exit(1);
}

static CUdeviceptr buffer(const char* kind, size_t bytes) {
    CUdeviceptr at;
    check(cuMemAlloc(&at, bytes), "cuMemAlloc");
    std::vector<unsigned char> data(bytes);
    if (kind[0] == 'r') return at;
    if (kind[0] == 'i')
        for (size_t i = 0; i < bytes / 4; ++i) reinterpret_cast<int*>(data.data())[i] = int(i);
    else
        for (size_t i = 0; i < bytes / 2; ++i)
            reinterpret_cast<unsigned short*>(data.data())[i] = 0x3c00 | (std::rand() & 0x3ff) | (std::rand() & 1) << 15;
    check(cuMemcpyHtoD(at, data.data(), bytes), "cuMemcpyHtoD");
    return at;
}

int main(int argc, char** argv) {
    if (argc < 10) return 2;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction f;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    check(cuModuleLoad(&module, argv[1]), "cuModuleLoad");
    check(cuModuleGetFunction(&f, module, argv[2]), "cuModuleGetFunction");
    unsigned d[7];
    for (int i = 0; i < 7; ++i) d[i] = unsigned(std::atoi(argv[3 + i]));
    check(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, int(d[6])), "shared memory");
    std::vector<CUdeviceptr> words(argc);
    std::vector<void*> args;
    for (int i = 10; i < argc; ++i) {
        const char* bytes = std::strchr(argv[i], ':');
        if (bytes) words[i] = buffer(argv[i], size_t(std::atol(bytes + 1)));
        else words[i] = CUdeviceptr(unsigned(std::atoi(argv[i])));
        args.push_back(&words[i]);
    }
    args.resize(args.size() + 8, args.back());  // a kernel takes as many as it declares
    check(cuLaunchKernel(f, d[0], d[1], d[2], d[3], d[4], d[5], d[6], nullptr, args.data(), nullptr), "cuLaunchKernel");
    check(cuCtxSynchronize(), "the kernel");
    return 0;
}
