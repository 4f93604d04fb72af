// Operations on the bits of a word.
#ifndef DW_DARWARP_BITS_CUH
#define DW_DARWARP_BITS_CUH

namespace darwarp {

inline unsigned and_or(unsigned x, unsigned mask, unsigned bits) { return (x & mask) | bits; }
template <int COUNT> inline unsigned multiplied_right(unsigned x) { return x >> COUNT; }
inline unsigned multiply_add(unsigned x, unsigned y, unsigned z) { return x * y + z; }

}  // namespace darwarp

#endif
