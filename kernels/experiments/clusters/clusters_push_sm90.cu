// Thread block clusters whose blocks send each other what they have counted: asynchronous stores into other
// blocks' shared memory, and mbarriers that others signal. The same histogram as in clusters_sm90.cu.
#include <cooperative_groups.h>

#include "kernels/experiments/bulk_copy/mbarrier.cuh"
#include "kernels/experiments/clusters/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace clusters;
namespace cg = ::cooperative_groups;

// The address of the same object in the shared memory of another block of the cluster.
__device__ __forceinline__ uint32_t remoteAddress(const void* own, uint32_t rank) {
  uint32_t address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(sharedAddress(own)), "r"(rank));
  return address;
}
// Stores there, and tells the mbarrier that four more bytes have come.
__device__ __forceinline__ void storeAsync(uint32_t to, uint32_t value, uint32_t barrier) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to),
               "r"(value), "r"(barrier)
               : "memory");
}
__device__ __forceinline__ void arriveRemotely(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(barrier),
               "r"(bytes)
               : "memory");
}

// Each block counts in its own shared memory, and then pushes to each block of the cluster what it has
// counted in that block's share of the bins. A block waits only for the bytes that are pushed to it: its own
// mbarrier counts them, and an arrival of each block says how many there will be.
template <class Probe>
__global__ void __launch_bounds__(1024)
    pushed(Probe probe, const uint32_t* in, uint32_t* counts, uint32_t size, uint32_t bins) {
  extern __shared__ uint32_t own_bins[];
  __shared__ uint64_t arrived;
  auto log = probe.begin();
  const cg::cluster_group cluster = cg::this_cluster();
  const uint32_t blocks = cluster.num_blocks(), rank = cluster.block_rank();
  const uint32_t share = (bins + blocks - 1) / blocks;
  uint32_t* received = own_bins + blocks * share;  // a share from each block
  log.mark(kClear);
  if (threadIdx.x == 0) {
    initBarrier(&arrived, blocks);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  for (uint32_t bin = threadIdx.x; bin < blocks * share; bin += blockDim.x) own_bins[bin] = 0;
  auto ready = cluster.barrier_arrive();
  __syncthreads();
  log.mark(kCount);
  const uint32_t first = blockIdx.x * blockDim.x * kElementsPerThread + threadIdx.x;
#pragma unroll
  for (uint32_t k = 0; k < kElementsPerThread; ++k) {
    const uint32_t i = first + k * blockDim.x;
    if (i < size) atomicAdd(&own_bins[__umulhi(in[i], bins)], 1U);
  }
  log.mark(kBarrier);
  __syncthreads();
  cluster.barrier_wait(std::move(ready));  // all mbarriers are initialised
  log.mark(kPush);
  for (uint32_t to = 0; to < blocks; ++to) {
    const uint32_t barrier = remoteAddress(&arrived, to), place = remoteAddress(received + rank * share, to);
    if (threadIdx.x == 0) arriveRemotely(barrier, share * 4);
    for (uint32_t bin = threadIdx.x; bin < share; bin += blockDim.x)
      storeAsync(place + bin * 4, own_bins[to * share + bin], barrier);
  }
  log.mark(kReceive);
  waitForCluster(&arrived, 0);
  log.mark(kFlush);
  for (uint32_t bin = threadIdx.x; bin < share && rank * share + bin < bins; bin += blockDim.x) {
    uint32_t sum = 0;
    for (uint32_t from = 0; from < blocks; ++from) sum += received[from * share + bin];
    if (sum != 0) atomicAdd(&counts[rank * share + bin], sum);
  }
}
WARPSCOPE_INSTANTIATE(pushed);

}  // namespace warpscope
