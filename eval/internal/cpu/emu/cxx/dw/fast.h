// Quicker forms of functions of the device library that are right as they are: the processor converts eight
// values in one instruction, which the compiler does not find out by itself.
#ifndef DW_FAST_H
#define DW_FAST_H

#ifdef __F16C__
namespace darwarp {

template <>
inline void unpack8<__half>(const uint4& chunk, float (&v)[8]) {
    _mm256_storeu_ps(v, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(&chunk))));
}

}  // namespace darwarp
#endif

#endif
