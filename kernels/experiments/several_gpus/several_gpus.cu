// Several GPUs: work on a vector that lies on the host, by one GPU or by two. Each launch of this kernel
// works on one part of it. What differs between the variants is where the launches run, where their data is,
// and how it gets there: a kernel loads from another GPU's memory with the same instruction as from its own.
#include "kernels/experiments/rounds.h"
#include "kernels/experiments/several_gpus/regions.h"
#include "kernels/experiments/several_gpus/shape.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace several_gpus;

// Works on `count` values, which begin at `first` of `in`; `out` has room for these alone.
template <class Probe>
__global__ void __launch_bounds__(1024)
    part(Probe probe, uint32_t* __restrict__ out, const uint32_t* __restrict__ in, uint32_t first,
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
  out[i] = x;
}
WARPSCOPE_INSTANTIATE(part);

}  // namespace warpscope
