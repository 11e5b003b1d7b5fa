// Mapping: how a block's threads are cut into warps. Threads are numbered with x fastest, then y, then z, and
// each 32 in a row are a warp. The kernels compute a thread's number only to know where to write; which warp
// and which lane it got, they ask the hardware: the lane's number is a special register, and the warp is
// known by its first lane's thread, which a shuffle tells.
#include "kernels/experiments/mapping/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace mapping;

__device__ __forceinline__ uint32_t laneNumber() {
  uint32_t lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

// `out` has an element for each thread: the thread of its warp's first lane, and its own lane.
template <class Log>
__device__ __forceinline__ void writePlace(Log& log, uint2* out, uint32_t thread, uint32_t threads) {
  log.mark(kPlace);
  const uint32_t first = __shfl_sync(__activemask(), thread, 0);
  const uint32_t lane = laneNumber();
  log.mark(kStore);
  out[blockIdx.x * threads + thread] = make_uint2(first, lane);
}

template <class Probe>
__global__ void __launch_bounds__(1024) block_1d(Probe probe, uint2* __restrict__ out) {
  auto log = probe.begin();
  writePlace(log, out, threadIdx.x, blockDim.x);
}
WARPSCOPE_INSTANTIATE(block_1d);

template <class Probe>
__global__ void __launch_bounds__(1024) block_2d(Probe probe, uint2* __restrict__ out) {
  auto log = probe.begin();
  writePlace(log, out, threadIdx.y * blockDim.x + threadIdx.x, blockDim.x * blockDim.y);
}
WARPSCOPE_INSTANTIATE(block_2d);

template <class Probe>
__global__ void __launch_bounds__(1024) block_3d(Probe probe, uint2* __restrict__ out) {
  auto log = probe.begin();
  writePlace(log, out, (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x,
             blockDim.x * blockDim.y * blockDim.z);
}
WARPSCOPE_INSTANTIATE(block_3d);

}  // namespace warpscope
