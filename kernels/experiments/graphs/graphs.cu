// Graphs: many small launches, each of which needs what earlier ones have written. All are launches of this
// kernel. What differs between the variants is not the kernel but how the host hands them to the GPU: one by
// one, or as a graph.
#include "kernels/experiments/graphs/regions.h"
#include "kernels/experiments/rounds.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace graphs;

// Node `node` writes a row of `size` values; it reads `sources` rows that others have written from row
// `first_source` on, or the input. Nodes differ, so that none can stand in for another.
template <class Probe>
__global__ void __launch_bounds__(1024)
    step(Probe probe, uint32_t* __restrict__ rows, const uint32_t* __restrict__ in, uint32_t size,
         uint32_t node, uint32_t first_source, uint32_t sources) {
  auto log = probe.begin();
  log.mark(kIndex);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  log.mark(kGather);
  uint32_t sum = 0;
  if (sources == 0) sum = in[i];
  for (uint32_t source = first_source; source < first_source + sources; ++source)
    sum += rows[static_cast<size_t>(source) * size + i];
  log.mark(kStore);
  rows[static_cast<size_t>(node) * size + i] = sum * kFactor + kAddend + node;
}
WARPSCOPE_INSTANTIATE(step);

}  // namespace warpscope
