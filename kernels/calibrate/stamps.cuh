// Reads clocks, and stores what a micro-kernel of `warpscope calibrate` has read and computed.
#pragma once

#include <cstdint>

namespace warpscope {
namespace {

__device__ __forceinline__ uint64_t clockNow() {
  uint64_t now;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
  return now;
}

__device__ __forceinline__ uint32_t threadInGrid() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// Behind the timed loop. Warps are counted through the grid.
__device__ __forceinline__ void finish(uint64_t* stamps, uint32_t* sink, uint64_t begin, uint64_t end,
                                       uint32_t result) {
  const uint32_t warp = blockIdx.x * ((blockDim.x + 31) / 32) + threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) {
    stamps[2 * warp] = begin;
    stamps[2 * warp + 1] = end;
  }
  sink[threadInGrid()] = result;
}

}  // namespace
}  // namespace warpscope
