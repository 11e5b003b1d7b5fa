// Priorities: a long launch has the GPU when short ones come in. All are launches of this kernel. Variants
// differ in the priority of the streams, and in how many blocks the long one has.
#include "kernels/experiments/priorities/regions.h"
#include "kernels/experiments/priorities/shape.h"
#include "kernels/experiments/rounds.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace priorities;

// Works on the `count` values that begin at `first`, however many threads there are.
template <class Probe>
__global__ void __launch_bounds__(1024)
    serve(Probe probe, uint32_t* __restrict__ out, const uint32_t* __restrict__ in, uint32_t first,
          uint32_t count, uint32_t work) {
  auto log = probe.begin();
  log.mark(kIndex);
  const uint32_t threads = gridDim.x * blockDim.x;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += threads) {
    log.mark(kLoad);
    uint32_t x = in[first + i];
    log.mark(kCompute);
    for (uint32_t round = 0; round < work; ++round) x = x * kFactor + kAddend;
    log.mark(kStore);
    out[first + i] = x;
  }
}
WARPSCOPE_INSTANTIATE(serve);

}  // namespace warpscope
