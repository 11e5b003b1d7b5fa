// Graphs whose steps decide on the GPU how many of them are needed: a chain of launches, each but the first
// in an IF conditional node. It is a module of its own, since what it calls is in the toolkit's device
// runtime library, with which it must be linked.
#include "kernels/experiments/graphs/regions.h"
#include "kernels/experiments/rounds.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace graphs;

// Step `node` writes a row of `size` values from the row before it, or the input. How many steps are needed
// is known on the device only; one that is not needed ends at once. `next`: the condition of the next step's
// node, which is 0 unless it is set; 0: there is none, or it is always executed. One thread sets it, as two
// would race ("cudaGraphSetConditional", CUDA Runtime API).
template <class Probe>
__global__ void __launch_bounds__(1024)
    conditional(Probe probe, uint32_t* __restrict__ rows, const uint32_t* __restrict__ in, uint32_t size,
                uint32_t node, const uint32_t* __restrict__ needed, uint64_t next) {
  auto log = probe.begin();
  log.mark(kIndex);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t steps = *needed;
  if (i == 0 && next != 0) {
    log.mark(kDecide);
    cudaGraphSetConditional(next, node + 1 < steps);
  }
  if (i >= size || node >= steps) return;
  log.mark(kGather);
  const uint32_t before = node == 0 ? in[i] : rows[static_cast<size_t>(node - 1) * size + i];
  log.mark(kStore);
  rows[static_cast<size_t>(node) * size + i] = before * kFactor + kAddend + node;
}
WARPSCOPE_INSTANTIATE(conditional);

}  // namespace warpscope
