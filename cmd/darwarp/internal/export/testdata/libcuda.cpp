// A driver that writes into a tensor map what it was made of, and refuses an address or rows that are not multiples of 16 bytes.
#include <cstdint>

extern "C" int cuTensorMapEncodeTiled(uint64_t* out, int type, unsigned rank, uintptr_t at, const uint64_t* shape, const uint64_t* strides, const unsigned* box,
                                      const unsigned* steps, int interleave, int swizzle, int promotion, int fill) {
    if (rank != 2 || at % 16 != 0 || strides[0] % 16 != 0 || uintptr_t(out) % 64 != 0) return 1;
    const uint64_t words[] = {uint64_t(type),     at,       shape[0],           shape[1],          strides[0],          box[0], box[1],
                              steps[0], steps[1], uint64_t(interleave), uint64_t(swizzle), uint64_t(promotion), uint64_t(fill)};
    for (const uint64_t& word : words) out[&word - words] = word;
    return 0;
}
