// What the reduction kernels share. Marks stay in the kernels' own files, where the code view shows them.
#pragma once

#include "kernels/experiments/reduction/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope::reduction {

constexpr uint32_t kAllLanes = 0xFFFFFFFFU;

// How many elements the block that begins at `base` has, at most `most`.
__device__ __forceinline__ uint32_t elementsFrom(uint32_t base, uint32_t most, uint32_t size) {
  const uint32_t left = base < size ? size - base : 0;
  return left < most ? left : most;
}

// The largest power of two below `threads` (at least 2): the first stride of a tree over that many elements.
__device__ __forceinline__ uint32_t firstStride(uint32_t threads) {
  return 1U << (31 - __clz(threads - 1));
}

// Dynamic shared memory as elements; a template cannot declare it with a type of its own for each T.
template <class T>
__device__ __forceinline__ T* sharedTile() {
  extern __shared__ __align__(16) unsigned char shared_tile[];
  return reinterpret_cast<T*>(shared_tile);
}

}  // namespace warpscope::reduction

// Behind a kernel `template <class Probe, class T>`: its forms for both types.
#define WARPSCOPE_INSTANTIATE_TYPES(kernel) \
  WARPSCOPE_INSTANTIATE_WITH(kernel, int);  \
  WARPSCOPE_INSTANTIATE_WITH(kernel, float)
