// An index without a pattern: what kernels that jump about follow, and their checks follow after them.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define WARPSCOPE_ON_BOTH_SIDES __host__ __device__ __forceinline__
#else
#define WARPSCOPE_ON_BOTH_SIDES inline
#endif

namespace warpscope {

// Below `count`. The mixing is MurmurHash3's 32-bit finalizer (Austin Appleby, public domain).
WARPSCOPE_ON_BOTH_SIDES uint32_t randomIndex(uint32_t i, uint32_t count) {
  i = (i ^ (i >> 16)) * 0x85EBCA6BU;
  i = (i ^ (i >> 13)) * 0xC2B2AE35U;
  i ^= i >> 16;
  return static_cast<uint32_t>((static_cast<uint64_t>(i) * count) >> 32);
}

}  // namespace warpscope
