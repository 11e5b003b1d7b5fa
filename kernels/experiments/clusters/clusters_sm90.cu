// Thread block clusters: a histogram whose bins are in shared memory. With one histogram a block, each block
// needs room for all bins and adds all of them to global memory; the blocks of a cluster can share one, of
// which each holds a part that the others reach through distributed shared memory.
#include <cooperative_groups.h>

#include "kernels/experiments/clusters/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace clusters;
namespace cg = ::cooperative_groups;

// 0 .. bins - 1, all equally often.
__device__ __forceinline__ uint32_t binOf(uint32_t value, uint32_t bins) {
  return __umulhi(value, bins);
}

// A histogram of its own for each block.
template <class Probe>
__global__ void __launch_bounds__(1024)
    per_block(Probe probe, const uint32_t* in, uint32_t* counts, uint32_t size, uint32_t bins) {
  extern __shared__ uint32_t block_bins[];
  auto log = probe.begin();
  log.mark(kClear);
  for (uint32_t bin = threadIdx.x; bin < bins; bin += blockDim.x) block_bins[bin] = 0;
  log.mark(kBarrier);
  __syncthreads();
  log.mark(kCount);
  const uint32_t first = blockIdx.x * blockDim.x * kElementsPerThread + threadIdx.x;
#pragma unroll
  for (uint32_t k = 0; k < kElementsPerThread; ++k) {
    const uint32_t i = first + k * blockDim.x;
    if (i < size) atomicAdd(&block_bins[binOf(in[i], bins)], 1U);
  }
  log.mark(kBarrier);
  __syncthreads();
  log.mark(kFlush);
  for (uint32_t bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    if (block_bins[bin] != 0) atomicAdd(&counts[bin], block_bins[bin]);
  }
}
WARPSCOPE_INSTANTIATE(per_block);

// One histogram for each cluster: block r of it holds the r-th share of the bins.
template <class Probe>
__global__ void __launch_bounds__(1024)
    distributed(Probe probe, const uint32_t* in, uint32_t* counts, uint32_t size, uint32_t bins) {
  extern __shared__ uint32_t own_bins[];
  auto log = probe.begin();
  const cg::cluster_group cluster = cg::this_cluster();
  const uint32_t blocks = cluster.num_blocks(), share = (bins + blocks - 1) / blocks;
  log.mark(kClear);
  for (uint32_t bin = threadIdx.x; bin < share; bin += blockDim.x) own_bins[bin] = 0;
  log.mark(kBarrier);
  cluster.sync();  // no block counts in bins that another has not cleared
  log.mark(kCount);
  const uint32_t first = blockIdx.x * blockDim.x * kElementsPerThread + threadIdx.x;
#pragma unroll
  for (uint32_t k = 0; k < kElementsPerThread; ++k) {
    const uint32_t i = first + k * blockDim.x;
    if (i >= size) continue;
    const uint32_t bin = binOf(in[i], bins);
    atomicAdd(cluster.map_shared_rank(own_bins, bin / share) + bin % share, 1U);
  }
  log.mark(kBarrier);
  cluster.sync();  // all have counted, and no block is gone before
  log.mark(kFlush);
  const uint32_t first_bin = cluster.block_rank() * share;
  for (uint32_t bin = threadIdx.x; bin < share; bin += blockDim.x) {
    if (own_bins[bin] != 0) atomicAdd(&counts[first_bin + bin], own_bins[bin]);
  }
}
WARPSCOPE_INSTANTIATE(distributed);

// The same, but between arriving at the first barrier and waiting for it, each thread loads its elements.
template <class Probe>
__global__ void __launch_bounds__(1024)
    split_barrier(Probe probe, const uint32_t* in, uint32_t* counts, uint32_t size, uint32_t bins) {
  extern __shared__ uint32_t own_bins[];
  auto log = probe.begin();
  const cg::cluster_group cluster = cg::this_cluster();
  const uint32_t blocks = cluster.num_blocks(), share = (bins + blocks - 1) / blocks;
  log.mark(kClear);
  for (uint32_t bin = threadIdx.x; bin < share; bin += blockDim.x) own_bins[bin] = 0;
  auto arrived = cluster.barrier_arrive();
  log.mark(kLoad);
  const uint32_t first = blockIdx.x * blockDim.x * kElementsPerThread + threadIdx.x;
  uint32_t bin_of[kElementsPerThread];
#pragma unroll
  for (uint32_t k = 0; k < kElementsPerThread; ++k) {
    const uint32_t i = first + k * blockDim.x;
    bin_of[k] = i < size ? binOf(in[i], bins) : bins;
  }
  log.mark(kBarrier);
  cluster.barrier_wait(std::move(arrived));
  log.mark(kCount);
#pragma unroll
  for (uint32_t k = 0; k < kElementsPerThread; ++k) {
    const uint32_t bin = bin_of[k];
    if (bin < bins) atomicAdd(cluster.map_shared_rank(own_bins, bin / share) + bin % share, 1U);
  }
  log.mark(kBarrier);
  cluster.sync();
  log.mark(kFlush);
  const uint32_t first_bin = cluster.block_rank() * share;
  for (uint32_t bin = threadIdx.x; bin < share; bin += blockDim.x) {
    if (own_bins[bin] != 0) atomicAdd(&counts[first_bin + bin], own_bins[bin]);
  }
}
WARPSCOPE_INSTANTIATE(split_barrier);

}  // namespace warpscope
