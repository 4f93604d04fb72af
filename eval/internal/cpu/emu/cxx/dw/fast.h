// Quicker forms of functions of the device library that are right as they are: the processor converts eight
// values in one instruction, which the compiler does not find out by itself.
#ifndef DW_FAST_H
#define DW_FAST_H

#ifdef __F16C__
namespace darwarp {

template <>
inline void unpack8<__half>(const uint4& chunk, float (&v)[8]) {
    dw::Shorts8 bits;
    memcpy(&bits, &chunk, sizeof bits);
    const dw::Floats8 wide = dw::widen8(bits);
    memcpy(v, &wide, sizeof wide);
}

}  // namespace darwarp
#endif

#endif
