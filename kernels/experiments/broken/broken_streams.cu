// The kernels of the pairs as in broken.cu whose mistake is none of theirs: all are the same, and what the
// host enqueues around them is wrong or right. broken.cpp writes that down.
#include "kernels/experiments/broken/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace broken;

// Turns each block's values round.
template <class Probe>
__device__ __forceinline__ void turnRound(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t first = blockIdx.x * blockDim.x;
  const uint32_t count = min(blockDim.x, size - first);
  if (threadIdx.x >= count) return;
  const uint32_t value = in[first + count - 1 - threadIdx.x];
  log.mark(kStore);
  out[first + threadIdx.x] = value;
}

// The host enqueues no wait for the copy that brings the values.
template <class Probe>
__global__ void __launch_bounds__(1024)
    missing_stream_wait(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  turnRound(probe, in, out, size);
}
WARPSCOPE_INSTANTIATE(missing_stream_wait);

template <class Probe>
__global__ void __launch_bounds__(1024)
    with_stream_wait(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  turnRound(probe, in, out, size);
}
WARPSCOPE_INSTANTIATE(with_stream_wait);

// The host frees the memory between two launches before the second one, on another stream, has read it.
template <class Probe>
__global__ void __launch_bounds__(1024)
    use_after_free(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  turnRound(probe, in, out, size);
}
WARPSCOPE_INSTANTIATE(use_after_free);

template <class Probe>
__global__ void __launch_bounds__(1024)
    free_after_use(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  turnRound(probe, in, out, size);
}
WARPSCOPE_INSTANTIATE(free_after_use);

}  // namespace warpscope
