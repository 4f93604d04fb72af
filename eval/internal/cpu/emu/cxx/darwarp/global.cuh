// Loads and stores with cache hints. The hints have no meaning here; the access has.
#ifndef DW_DARWARP_GLOBAL_CUH
#define DW_DARWARP_GLOBAL_CUH

#include "../dw/memory.h"

namespace darwarp {

enum Cache { CACHED, STREAMING, NO_ALLOCATE };

template <class Word> __forceinline__ Word load_no_allocate(const Word* p) { return *p; }
template <Cache HINT, class Word> __forceinline__ Word load_global(const Word* p) { return *p; }
template <Cache HINT, class Word> __forceinline__ void store_global(Word* p, Word v) { *p = v; }
template <class Word> __forceinline__ Word as_it_is(Word v) { return v; }

}  // namespace darwarp

#endif
