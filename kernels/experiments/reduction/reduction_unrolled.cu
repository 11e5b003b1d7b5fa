// Reduction, unrolled: each thread first adds several elements, a block apart from each other, then the
// interleaved tree runs in global memory. Several loads are in flight, there are fewer blocks, and step by
// step the tree's loop, its barriers and its comparisons go, too.
#include "kernels/experiments/reduction/tree.cuh"

namespace warpscope {

using namespace reduction;

// Adds `kBlocks` blocks of elements into the first of them; how many elements that one has.
template <uint32_t kBlocks, class Log, class T>
__device__ __forceinline__ uint32_t addBlocks(Log& log, T* data, uint32_t size) {
  log.mark(kLoad);
  const uint32_t base = blockIdx.x * blockDim.x * kBlocks;
  const uint32_t count = elementsFrom(base, blockDim.x, size);
  T sum = 0;
#pragma unroll
  for (uint32_t k = 0; k < kBlocks; ++k) {
    const uint32_t element = base + k * blockDim.x + threadIdx.x;
    if (element < size) sum += data[element];
  }
  if (threadIdx.x < count) data[base + threadIdx.x] = sum;
  log.mark(kLoadBarrier);
  __syncthreads();
  return count;
}

template <class Log, class T>
__device__ __forceinline__ void addStep(Log& log, T* block_data, uint32_t stride, uint32_t count) {
  log.mark(kStep);
  if (threadIdx.x < stride && threadIdx.x + stride < count) {
    log.mark(kAdd);
    block_data[threadIdx.x] += block_data[threadIdx.x + stride];
  }
  log.mark(kBarrier);
  __syncthreads();
}

// The last 64 elements, by the first warp alone: no block barrier. Each lane reads before any lane writes,
// and writes before any reads again: since Volta the lanes of a warp need not run in step, so it takes
// __syncwarp. All lanes add; what those beyond the stride add is never read.
template <class Log, class T>
__device__ __forceinline__ void addLastWarp(Log& log, T* block_data, uint32_t count) {
  log.mark(kFirstWarp);
  const uint32_t lane = threadIdx.x;
  T sum = lane < count ? block_data[lane] : T(0);
#pragma unroll
  for (uint32_t stride = 32; stride > 0; stride /= 2) {
    log.mark(kLastStep);
    if (lane + stride < count) sum += block_data[lane + stride];
    __syncwarp();
    if (lane < count) block_data[lane] = sum;
    __syncwarp();
  }
}

template <class Log, class T>
__device__ __forceinline__ void writePartial(Log& log, T* partials, const T* block_data) {
  log.mark(kWrite);
  partials[blockIdx.x] = block_data[0];
}

// So many blocks' elements at first, then the interleaved tree.
template <uint32_t kBlocks, class Log, class T>
__device__ __forceinline__ void unrolledSum(Log& log, T* data, T* partials, uint32_t size) {
  T* block_data = data + blockIdx.x * blockDim.x * kBlocks;
  const uint32_t count = addBlocks<kBlocks>(log, data, size);
  for (uint32_t stride = firstStride(blockDim.x); stride > 0; stride /= 2) {
    addStep(log, block_data, stride, count);
  }
  if (threadIdx.x == 0) writePartial(log, partials, block_data);
}

// Two elements a thread before the tree: half of the blocks, and no thread that only waits.
template <class Probe, class T>
__global__ void __launch_bounds__(1024) unroll2(Probe probe, T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  unrolledSum<2>(log, data, partials, size);
}
WARPSCOPE_INSTANTIATE_TYPES(unroll2);

// Four.
template <class Probe, class T>
__global__ void __launch_bounds__(1024) unroll4(Probe probe, T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  unrolledSum<4>(log, data, partials, size);
}
WARPSCOPE_INSTANTIATE_TYPES(unroll4);

// Eight: eight loads in flight, an eighth of the blocks.
template <class Probe, class T>
__global__ void __launch_bounds__(1024) unroll8(Probe probe, T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  unrolledSum<8>(log, data, partials, size);
}
WARPSCOPE_INSTANTIATE_TYPES(unroll8);

// The same, but the last six steps are the first warp's, without block barriers.
template <class Probe, class T>
__global__ void __launch_bounds__(1024) unroll_warps8(Probe probe, T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  T* block_data = data + blockIdx.x * blockDim.x * 8;
  const uint32_t count = addBlocks<8>(log, data, size);
  for (uint32_t stride = firstStride(blockDim.x); stride > 32; stride /= 2) {
    addStep(log, block_data, stride, count);
  }
  if (threadIdx.x < 32) addLastWarp(log, block_data, count);
  if (threadIdx.x == 0) writePartial(log, partials, block_data);
}
WARPSCOPE_INSTANTIATE_TYPES(unroll_warps8);

// No loop: a step for each stride that a block can have, skipped by all threads alike if it is too large.
template <class Probe, class T>
__global__ void __launch_bounds__(1024)
    complete_unroll_warps8(Probe probe, T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  T* block_data = data + blockIdx.x * blockDim.x * 8;
  const uint32_t count = addBlocks<8>(log, data, size);
  if (blockDim.x > 512) addStep(log, block_data, 512, count);
  if (blockDim.x > 256) addStep(log, block_data, 256, count);
  if (blockDim.x > 128) addStep(log, block_data, 128, count);
  if (blockDim.x > 64) addStep(log, block_data, 64, count);
  if (threadIdx.x < 32) addLastWarp(log, block_data, count);
  if (threadIdx.x == 0) writePartial(log, partials, block_data);
}
WARPSCOPE_INSTANTIATE_TYPES(complete_unroll_warps8);

// The block size is a template argument, so the compiler leaves out the steps that such a block does not
// have. kThreads: the block's threads, rounded up to a power of two; the missing threads' elements do not
// count.
template <class Probe, class T, uint32_t kThreads>
__global__ void __launch_bounds__(kThreads)
    complete_unroll_template(Probe probe, T* data, T* partials, uint32_t size) {
  auto log = probe.begin();
  T* block_data = data + blockIdx.x * blockDim.x * 8;
  const uint32_t count = addBlocks<8>(log, data, size);
  if constexpr (kThreads > 512) addStep(log, block_data, 512, count);
  if constexpr (kThreads > 256) addStep(log, block_data, 256, count);
  if constexpr (kThreads > 128) addStep(log, block_data, 128, count);
  if constexpr (kThreads > 64) addStep(log, block_data, 64, count);
  if (threadIdx.x < 32) addLastWarp(log, block_data, count);
  if (threadIdx.x == 0) writePartial(log, partials, block_data);
}
#define WARPSCOPE_INSTANTIATE_BLOCK(threads)                          \
  WARPSCOPE_INSTANTIATE_WITH(complete_unroll_template, int, threads); \
  WARPSCOPE_INSTANTIATE_WITH(complete_unroll_template, float, threads)
WARPSCOPE_INSTANTIATE_BLOCK(32);
WARPSCOPE_INSTANTIATE_BLOCK(64);
WARPSCOPE_INSTANTIATE_BLOCK(128);
WARPSCOPE_INSTANTIATE_BLOCK(256);
WARPSCOPE_INSTANTIATE_BLOCK(512);
WARPSCOPE_INSTANTIATE_BLOCK(1024);

}  // namespace warpscope
