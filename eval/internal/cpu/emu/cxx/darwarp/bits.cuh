// Operations on the bits of a word.
#ifndef DW_DARWARP_BITS_CUH
#define DW_DARWARP_BITS_CUH

namespace darwarp {

inline unsigned and_or(unsigned x, unsigned mask, unsigned bits) { return (x & mask) | bits; }
template <int COUNT> inline unsigned multiplied_right(unsigned x) { return x >> COUNT; }
inline unsigned chosen(unsigned mask, unsigned x, unsigned y) { return (x & mask) | (y & ~mask); }

}  // namespace darwarp

#endif
