// The kernels of the pair as in broken.cu whose mistake is none of theirs: both are the same, and are
// launched on another stream than the one that brings their values. broken.cpp writes down what the host
// enqueues.
#include "kernels/experiments/broken/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace broken;

// Turns each block's values round. The host enqueues no wait for the copy that brings them.
template <class Probe>
__global__ void __launch_bounds__(1024)
    missing_stream_wait(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t first = blockIdx.x * blockDim.x;
  const uint32_t count = min(blockDim.x, size - first);
  if (threadIdx.x >= count) return;
  const uint32_t value = in[first + count - 1 - threadIdx.x];
  log.mark(kStore);
  out[first + threadIdx.x] = value;
}
WARPSCOPE_INSTANTIATE(missing_stream_wait);

template <class Probe>
__global__ void __launch_bounds__(1024)
    with_stream_wait(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t first = blockIdx.x * blockDim.x;
  const uint32_t count = min(blockDim.x, size - first);
  if (threadIdx.x >= count) return;
  const uint32_t value = in[first + count - 1 - threadIdx.x];
  log.mark(kStore);
  out[first + threadIdx.x] = value;
}
WARPSCOPE_INSTANTIATE(with_stream_wait);

}  // namespace warpscope
