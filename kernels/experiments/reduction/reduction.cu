// Reduction: the sum of 32-bit integers. Every block adds up its share of the input and writes one partial
// sum; the host adds the partial sums. Block sizes are multiples of 32, not only powers of two, and sizes are
// any: a tree over n elements starts with a stride that is a power of two and adds only what exists.
#include "kernels/experiments/reduction/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace reduction;

// How many elements the block that begins at `base` has, at most `most`.
__device__ __forceinline__ uint32_t elementsFrom(uint32_t base, uint32_t most, uint32_t size) {
  const uint32_t left = base < size ? size - base : 0;
  return left < most ? left : most;
}

// The largest power of two below `threads` (at least 2): the first stride of a tree over that many elements.
__device__ __forceinline__ uint32_t firstStride(uint32_t threads) {
  return 1U << (31 - __clz(threads - 1));
}

// In global memory, adding neighbours: thread t works if t is a multiple of 2 * stride. In every warp some
// lanes work and others do not, until the stride is larger than a warp.
template <class Probe>
__global__ void __launch_bounds__(1024) neighbored(Probe probe, int* data, int* partials, uint32_t size) {
  auto log = probe.begin();
  log.mark(kStart);
  const uint32_t base = blockIdx.x * blockDim.x;
  const uint32_t count = elementsFrom(base, blockDim.x, size);
  int* block_data = data + base;
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
WARPSCOPE_INSTANTIATE(neighbored);

// The same additions, but thread t works on element 2 * stride * t: the threads that work are neighbours, so
// whole warps work or rest.
template <class Probe>
__global__ void __launch_bounds__(1024)
    neighbored_less(Probe probe, int* data, int* partials, uint32_t size) {
  auto log = probe.begin();
  log.mark(kStart);
  const uint32_t base = blockIdx.x * blockDim.x;
  const uint32_t count = elementsFrom(base, blockDim.x, size);
  int* block_data = data + base;
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
WARPSCOPE_INSTANTIATE(neighbored_less);

// The stride starts at half of the block and shrinks: whole warps work or rest, and their loads are
// coalesced.
template <class Probe>
__global__ void __launch_bounds__(1024) interleaved(Probe probe, int* data, int* partials, uint32_t size) {
  auto log = probe.begin();
  log.mark(kStart);
  const uint32_t base = blockIdx.x * blockDim.x;
  const uint32_t count = elementsFrom(base, blockDim.x, size);
  int* block_data = data + base;
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
WARPSCOPE_INSTANTIATE(interleaved);

// Each thread first adds eight elements, a block apart from each other: eight loads in flight, an eighth of
// the blocks, and then the interleaved tree.
template <class Probe>
__global__ void __launch_bounds__(1024) unroll8(Probe probe, int* data, int* partials, uint32_t size) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t base = blockIdx.x * blockDim.x * kUnroll;
  const uint32_t count = elementsFrom(base, blockDim.x, size);
  int* block_data = data + base;
  int sum = 0;
#pragma unroll
  for (uint32_t k = 0; k < kUnroll; ++k) {
    const uint32_t element = base + k * blockDim.x + threadIdx.x;
    if (element < size) sum += data[element];
  }
  if (threadIdx.x < count) block_data[threadIdx.x] = sum;
  log.mark(kLoadBarrier);
  __syncthreads();
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
WARPSCOPE_INSTANTIATE(unroll8);

// The interleaved tree in shared memory: one read of global memory, the tree on the SM.
template <class Probe>
__global__ void __launch_bounds__(1024) shared(Probe probe, const int* data, int* partials, uint32_t size) {
  extern __shared__ int tile[];  // one element a thread
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t element = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = element < size ? data[element] : 0;
  log.mark(kLoadBarrier);
  __syncthreads();
  for (uint32_t stride = firstStride(blockDim.x); stride > 0; stride /= 2) {
    log.mark(kStep);
    if (threadIdx.x < stride && threadIdx.x + stride < blockDim.x) {
      log.mark(kAdd);
      tile[threadIdx.x] += tile[threadIdx.x + stride];
    }
    log.mark(kBarrier);
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    partials[blockIdx.x] = tile[0];
  }
}
WARPSCOPE_INSTANTIATE(shared);

// Registers instead of memory: each warp adds up its lanes with five shuffles, then the first warp adds up
// the warps' sums. One barrier in all, and no lane ever waits for another path.
template <class Probe>
__global__ void __launch_bounds__(1024) shuffle(Probe probe, const int* data, int* partials, uint32_t size) {
  __shared__ int warp_sums[32];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t element = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = element < size ? data[element] : 0;
#pragma unroll
  for (uint32_t distance = 16; distance > 0; distance /= 2) {
    log.mark(kStep);
    sum += __shfl_down_sync(0xFFFFFFFFU, sum, distance);
  }
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  log.mark(kBarrier);
  __syncthreads();
  if (threadIdx.x >= 32) return;
  log.mark(kFirstWarp);
  sum = threadIdx.x < blockDim.x / 32 ? warp_sums[threadIdx.x] : 0;
#pragma unroll
  for (uint32_t distance = 16; distance > 0; distance /= 2) {
    log.mark(kLastStep);
    sum += __shfl_down_sync(0xFFFFFFFFU, sum, distance);
  }
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    partials[blockIdx.x] = sum;
  }
}
WARPSCOPE_INSTANTIATE(shuffle);

// A fixed number of blocks strides over the whole input; each thread adds many elements before the shuffles,
// so the tree is paid once for thousands of elements.
template <class Probe>
__global__ void __launch_bounds__(1024)
    grid_stride(Probe probe, const int* data, int* partials, uint32_t size) {
  __shared__ int warp_sums[32];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t stride = gridDim.x * blockDim.x;
  int sum = 0;
#pragma unroll 4
  for (uint32_t element = blockIdx.x * blockDim.x + threadIdx.x; element < size; element += stride) {
    sum += data[element];
  }
  log.mark(kStep);
#pragma unroll
  for (uint32_t distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xFFFFFFFFU, sum, distance);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  log.mark(kBarrier);
  __syncthreads();
  if (threadIdx.x >= 32) return;
  log.mark(kFirstWarp);
  sum = threadIdx.x < blockDim.x / 32 ? warp_sums[threadIdx.x] : 0;
#pragma unroll
  for (uint32_t distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xFFFFFFFFU, sum, distance);
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    partials[blockIdx.x] = sum;
  }
}
WARPSCOPE_INSTANTIATE(grid_stride);

}  // namespace warpscope
