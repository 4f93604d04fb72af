// Operations on the bits of a word.
#ifndef DW_DARWARP_BITS_CUH
#define DW_DARWARP_BITS_CUH

namespace darwarp {

inline unsigned and_or(unsigned x, unsigned mask, unsigned bits) { return (x & mask) | bits; }

}  // namespace darwarp

#endif
