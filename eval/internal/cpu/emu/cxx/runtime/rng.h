// The random order. It is a function of the seed and the block alone, whichever OS thread runs it.
#ifndef DW_RNG_H
#define DW_RNG_H

#include <stdint.h>

namespace dw {

// mix is splitmix64's finalizer.
inline uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// Rng is a 64-bit multiplicative generator: a multiplication a number, of which the upper bits are used.
struct Rng {
    uint64_t state;
    explicit Rng(uint64_t seed = 0) : state(mix(seed) | 1) {}
    uint32_t below(uint32_t n) {
        state *= 0xd1342543de82ef95ull;
        return uint32_t((state >> 32) * n >> 32);
    }
};

}  // namespace dw

#endif
