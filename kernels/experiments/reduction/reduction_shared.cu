// Reduction in shared memory: one read of global memory, then the tree on the SM, with ever better ends: the
// last warp's steps without block barriers, then without shared memory.
#include <cooperative_groups.h>

#include "kernels/experiments/reduction/tree.cuh"

namespace warpscope {

namespace cg = ::cooperative_groups;
using namespace reduction;

// The block's elements, one a thread; zeros past the end.
template <class Log, class T>
__device__ __forceinline__ T* loadTile(Log& log, const T* data, uint32_t size) {
  T* tile = sharedTile<T>();
  log.mark(kLoad);
  const uint32_t element = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = element < size ? data[element] : T(0);
  log.mark(kLoadBarrier);
  __syncthreads();
  return tile;
}

// Steps of the interleaved tree until the first `kLeft` elements hold all.
template <uint32_t kLeft, class Log, class T>
__device__ __forceinline__ void addSteps(Log& log, T* tile) {
  for (uint32_t stride = firstStride(blockDim.x); stride >= kLeft; stride /= 2) {
    log.mark(kStep);
    if (threadIdx.x < stride && threadIdx.x + stride < blockDim.x) {
      log.mark(kAdd);
      tile[threadIdx.x] += tile[threadIdx.x + stride];
    }
    log.mark(kBarrier);
    __syncthreads();
  }
}

// The whole tree in shared memory, a barrier a step.
template <class Probe, class T>
__global__ void __launch_bounds__(1024) shared(Probe probe, const T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  T* tile = loadTile(log, data, size);
  addSteps<1>(log, tile);
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    partials[blockIdx.x] = tile[0];
  }
}
WARPSCOPE_INSTANTIATE_TYPES(shared);

// The first addition is made while loading: half of the blocks, and no thread that only loads.
template <class Probe, class T>
__global__ void __launch_bounds__(1024)
    shared_first_add(Probe probe, const T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  T* tile = sharedTile<T>();
  log.mark(kLoad);
  const uint32_t first = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  const uint32_t second = first + blockDim.x;
  tile[threadIdx.x] = (first < size ? data[first] : T(0)) + (second < size ? data[second] : T(0));
  log.mark(kLoadBarrier);
  __syncthreads();
  addSteps<1>(log, tile);
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    partials[blockIdx.x] = tile[0];
  }
}
WARPSCOPE_INSTANTIATE_TYPES(shared_first_add);

// The last 32 elements by the first warp, still in shared memory: __syncwarp instead of the block's barrier,
// between reading and writing, too.
template <class Probe, class T>
__global__ void __launch_bounds__(1024) syncwarp(Probe probe, const T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  T* tile = loadTile(log, data, size);
  addSteps<32>(log, tile);
  if (threadIdx.x < 32) {
    log.mark(kFirstWarp);
    T sum = tile[threadIdx.x];
#pragma unroll
    for (uint32_t stride = 16; stride > 0; stride /= 2) {
      log.mark(kLastStep);
      sum += tile[(threadIdx.x + stride) % 32];
      __syncwarp();
      tile[threadIdx.x] = sum;
      __syncwarp();
    }
    if (threadIdx.x == 0) {
      log.mark(kWrite);
      partials[blockIdx.x] = sum;
    }
  }
}
WARPSCOPE_INSTANTIATE_TYPES(syncwarp);

// The last 32 elements in registers: five shuffles, neither memory nor barriers.
template <class Probe, class T>
__global__ void __launch_bounds__(1024) shuffle(Probe probe, const T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  T* tile = loadTile(log, data, size);
  addSteps<32>(log, tile);
  if (threadIdx.x < 32) {
    log.mark(kFirstWarp);
    T sum = tile[threadIdx.x];
#pragma unroll
    for (uint32_t distance = 16; distance > 0; distance /= 2) {
      log.mark(kLastStep);
      sum += __shfl_down_sync(kAllLanes, sum, distance);
    }
    if (threadIdx.x == 0) {
      log.mark(kWrite);
      partials[blockIdx.x] = sum;
    }
  }
}
WARPSCOPE_INSTANTIATE_TYPES(shuffle);

// The same end, written with cooperative groups: a tile of 32 threads is what shuffles.
template <class Probe, class T>
__global__ void __launch_bounds__(1024)
    cooperative_groups(Probe probe, const T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  T* tile = loadTile(log, data, size);
  addSteps<32>(log, tile);
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  if (warp.meta_group_rank() == 0) {
    log.mark(kFirstWarp);
    T sum = tile[warp.thread_rank()];
#pragma unroll
    for (uint32_t distance = warp.size() / 2; distance > 0; distance /= 2) {
      log.mark(kLastStep);
      sum += warp.shfl_down(sum, distance);
    }
    if (warp.thread_rank() == 0) {
      log.mark(kWrite);
      partials[blockIdx.x] = sum;
    }
  }
}
WARPSCOPE_INSTANTIATE_TYPES(cooperative_groups);

// Registers from the start: each warp adds up its lanes with five shuffles, then the first warp adds up the
// warps' sums. One barrier in all, and no lane ever waits for another path.
template <class Probe, class T>
__global__ void __launch_bounds__(1024)
    warp_shuffle_two_level(Probe probe, const T* data, T* partials, uint32_t size) {
  __shared__ T warp_sums[32];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t element = blockIdx.x * blockDim.x + threadIdx.x;
  T sum = element < size ? data[element] : T(0);
#pragma unroll
  for (uint32_t distance = 16; distance > 0; distance /= 2) {
    log.mark(kStep);
    sum += __shfl_down_sync(kAllLanes, sum, distance);
  }
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = sum;
  log.mark(kBarrier);
  __syncthreads();
  if (threadIdx.x >= 32) return;
  log.mark(kFirstWarp);
  sum = threadIdx.x < blockDim.x / 32 ? warp_sums[threadIdx.x] : T(0);
#pragma unroll
  for (uint32_t distance = 16; distance > 0; distance /= 2) {
    log.mark(kLastStep);
    sum += __shfl_down_sync(kAllLanes, sum, distance);
  }
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    partials[blockIdx.x] = sum;
  }
}
WARPSCOPE_INSTANTIATE_TYPES(warp_shuffle_two_level);

}  // namespace warpscope
