// Reduction: the sum of 32-bit integers or floats. Here: trees in global memory. Every block adds up its
// share of the input and writes one partial sum; the host adds the partial sums. Block sizes are multiples of
// 32, not only powers of two, and sizes are any: a tree over n elements starts with a stride that is a power
// of two and adds only what exists.
#include "kernels/experiments/reduction/tree.cuh"

namespace warpscope {

using namespace reduction;

// In global memory, adding neighbours: thread t works if t is a multiple of 2 * stride. In every warp some
// lanes work and others do not, until the stride is larger than a warp.
template <class Probe, class T>
__global__ void __launch_bounds__(1024) neighbored(Probe probe, T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  log.mark(kStart);
  const uint32_t base = blockIdx.x * blockDim.x;
  const uint32_t count = elementsFrom(base, blockDim.x, size);
  T* block_data = data + base;
  for (uint32_t stride = 1; stride < blockDim.x; stride *= 2) {
    log.mark(kStep);
    if (threadIdx.x % (2 * stride) == 0 && threadIdx.x + stride < count) {
      log.mark(kAdd);
      block_data[threadIdx.x] += block_data[threadIdx.x + stride];
    }
    log.mark(kBarrier);
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    partials[blockIdx.x] = block_data[0];
  }
}
WARPSCOPE_INSTANTIATE_TYPES(neighbored);

// The same additions, but thread t works on element 2 * stride * t: the threads that work are neighbours, so
// whole warps work or rest.
template <class Probe, class T>
__global__ void __launch_bounds__(1024) neighbored_less(Probe probe, T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  log.mark(kStart);
  const uint32_t base = blockIdx.x * blockDim.x;
  const uint32_t count = elementsFrom(base, blockDim.x, size);
  T* block_data = data + base;
  for (uint32_t stride = 1; stride < blockDim.x; stride *= 2) {
    log.mark(kStep);
    const uint32_t element = 2 * stride * threadIdx.x;
    if (element + stride < count) {
      log.mark(kAdd);
      block_data[element] += block_data[element + stride];
    }
    log.mark(kBarrier);
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    partials[blockIdx.x] = block_data[0];
  }
}
WARPSCOPE_INSTANTIATE_TYPES(neighbored_less);

// The stride starts at half of the block and shrinks: whole warps work or rest, and their loads are
// coalesced.
template <class Probe, class T>
__global__ void __launch_bounds__(1024) interleaved(Probe probe, T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  log.mark(kStart);
  const uint32_t base = blockIdx.x * blockDim.x;
  const uint32_t count = elementsFrom(base, blockDim.x, size);
  T* block_data = data + base;
  for (uint32_t stride = firstStride(blockDim.x); stride > 0; stride /= 2) {
    log.mark(kStep);
    if (threadIdx.x < stride && threadIdx.x + stride < count) {
      log.mark(kAdd);
      block_data[threadIdx.x] += block_data[threadIdx.x + stride];
    }
    log.mark(kBarrier);
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    partials[blockIdx.x] = block_data[0];
  }
}
WARPSCOPE_INSTANTIATE_TYPES(interleaved);

}  // namespace warpscope
