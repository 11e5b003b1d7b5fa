// Streams: work on a vector that lies on the host. Each chunk of it is copied to the GPU, worked on by a
// launch of this kernel, and copied back. What differs between the variants is not the kernel but what the
// host enqueues, where, and in which order.
#include "kernels/experiments/rounds.h"
#include "kernels/experiments/streams/regions.h"
#include "kernels/experiments/streams/shape.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace streams;

// Works on the `count` values of a chunk that begins at `first`.
template <class Probe>
__global__ void __launch_bounds__(1024)
    process(Probe probe, uint32_t* __restrict__ out, const uint32_t* __restrict__ in, uint32_t first,
            uint32_t count, uint32_t work) {
  auto log = probe.begin();
  log.mark(kIndex);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  log.mark(kLoad);
  uint32_t x = in[first + i];
  log.mark(kCompute);
  for (uint32_t round = 0; round < work; ++round) x = x * kFactor + kAddend;
  log.mark(kStore);
  out[first + i] = x;
}
WARPSCOPE_INSTANTIATE(process);

}  // namespace warpscope
