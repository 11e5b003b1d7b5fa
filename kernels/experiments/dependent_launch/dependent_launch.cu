// Dependent launches: a chain of launches of this kernel, each of which works on what the one before it has
// written. All variants launch the same code; what differs is whether the host lets a launch begin early, and
// when the launch before it allows that. Compiled twice: before compute capability 9.0 there is neither a
// trigger nor anything to wait for.
#include "kernels/experiments/dependent_launch/regions.h"
#include "kernels/experiments/dependent_launch/shape.h"
#include "kernels/experiments/rounds.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace dependent_launch;

__device__ __forceinline__ void letDependentsBegin() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

__device__ __forceinline__ void waitForPrimary() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// The preamble needs nothing that the launch before it has written. What follows the wait does, from another
// block.
template <class Probe>
__global__ void __launch_bounds__(1024) step(Probe probe, uint32_t* out, const uint32_t* in, uint32_t count,
                                             uint32_t preamble, uint32_t work, uint32_t trigger) {
  auto log = probe.begin();
  if (trigger == kTriggerEarly) letDependentsBegin();
  log.mark(kPreamble);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t own = i;
  for (uint32_t round = 0; round < preamble; ++round) own = own * kFactor + kAddend;
  log.mark(kWait);
  waitForPrimary();
  if (i >= count) return;
  log.mark(kLoad);
  uint32_t x = in[count - 1 - i] ^ own;
  log.mark(kCompute);
  for (uint32_t round = 0; round < work; ++round) x = x * kFactor + kAddend;
  if (trigger == kTriggerLate) letDependentsBegin();
  log.mark(kStore);
  out[i] = x;
}
WARPSCOPE_INSTANTIATE(step);

}  // namespace warpscope
