// Reduction with the instruction that adds up a warp's integers at once (redux.sync, compute capability 8.0
// and later). There is none for floats.
#include "kernels/experiments/reduction/tree.cuh"

namespace warpscope {

using namespace reduction;

// As warp_shuffle_two_level, but one instruction in place of five shuffles and five additions.
template <class Probe>
__global__ void __launch_bounds__(1024) redux(Probe probe, const int* data, int* partials, uint32_t size) {
  __shared__ int warp_sums[32];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t element = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = element < size ? data[element] : 0;
  log.mark(kStep);
  const int warp_sum = __reduce_add_sync(kAllLanes, value);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = warp_sum;
  log.mark(kBarrier);
  __syncthreads();
  if (threadIdx.x >= 32) return;
  log.mark(kFirstWarp);
  const int sum = __reduce_add_sync(kAllLanes, threadIdx.x < blockDim.x / 32 ? warp_sums[threadIdx.x] : 0);
  if (threadIdx.x == 0) {
    log.mark(kWrite);
    partials[blockIdx.x] = sum;
  }
}
WARPSCOPE_INSTANTIATE(redux);

}  // namespace warpscope
