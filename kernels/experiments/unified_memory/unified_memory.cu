// Unified memory: passes over a vector that the host has written, and will read. All variants launch this
// kernel, and its code does not know where the pages are that it touches: what differs is when they move, or
// whether they do.
#include "kernels/experiments/rounds.h"
#include "kernels/experiments/unified_memory/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace unified_memory;

// A pass: each value goes on by `work` rounds.
template <class Probe>
__global__ void __launch_bounds__(1024) pass(Probe probe, uint32_t* values, uint32_t size, uint32_t work) {
  auto log = probe.begin();
  log.mark(kIndex);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  log.mark(kLoad);
  uint32_t x = values[i];
  log.mark(kCompute);
  for (uint32_t round = 0; round < work; ++round) x = x * kFactor + kAddend;
  log.mark(kStore);
  values[i] = x;
}
WARPSCOPE_INSTANTIATE(pass);

}  // namespace warpscope
