// Atomics: many threads change the same words. Atomic operations on one address happen one after the other,
// so what counts is how many of them reach it: the variants ask for one a thread, one a warp or one a block.
//
// Counters are picked by values (counterOf), although the counting variants have just one: were the address
// known to be the same for all lanes, ptxas would add the lanes up by itself, and nothing could be compared.
#include <cooperative_groups.h>

#include "kernels/experiments/atomics/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace atomics;

__device__ __forceinline__ bool isKept(uint32_t value, uint32_t keep_percent) {
  return value % 100 < keep_percent;
}

// 0 .. counters - 1, all equally often.
__device__ __forceinline__ uint32_t counterOf(uint32_t value, uint32_t counters) {
  return __umulhi(value, counters);
}

// Every thread adds its own 1 in global memory: up to 32 additions to one address in each warp.
template <class Probe>
__global__ void __launch_bounds__(1024)
    global_per_thread(Probe probe, const uint32_t* in, uint32_t* counts, uint32_t size, uint32_t counters,
                      uint32_t keep_percent) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const uint32_t value = in[i];
  if (isKept(value, keep_percent)) {
    log.mark(kAtomic);
    atomicAdd(&counts[counterOf(value, counters)], 1U);
  }
}
WARPSCOPE_INSTANTIATE(global_per_thread);

// The lanes that arrive together form a group; its first lane adds for all of them.
template <class Probe>
__global__ void __launch_bounds__(1024)
    warp_aggregated(Probe probe, const uint32_t* in, uint32_t* counts, uint32_t size, uint32_t counters,
                    uint32_t keep_percent) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const uint32_t value = in[i];
  if (isKept(value, keep_percent)) {
    const auto together = cooperative_groups::coalesced_threads();
    if (together.thread_rank() == 0) {
      log.mark(kAtomic);
      atomicAdd(&counts[counterOf(value, counters)], together.size());
    }
  }
}
WARPSCOPE_INSTANTIATE(warp_aggregated);

// Every thread adds in shared memory, on its own SM; one thread adds the block's sum in global memory.
template <class Probe>
__global__ void __launch_bounds__(1024)
    block_aggregated(Probe probe, const uint32_t* in, uint32_t* counts, uint32_t size, uint32_t counters,
                     uint32_t keep_percent) {
  __shared__ uint32_t block_counts[1];
  auto log = probe.begin();
  log.mark(kClear);
  if (threadIdx.x == 0) block_counts[0] = 0;
  __syncthreads();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) {
    const uint32_t value = in[i];
    if (isKept(value, keep_percent)) {
      log.mark(kAtomic);
      atomicAdd(&block_counts[counterOf(value, counters)], 1U);
    }
  }
  log.mark(kBarrier);
  __syncthreads();
  if (threadIdx.x == 0) {
    log.mark(kFlush);
    atomicAdd(&counts[0], block_counts[0]);
  }
}
WARPSCOPE_INSTANTIATE(block_aggregated);

// One counter a bin, all in global memory: the fewer bins, the more lanes meet in one.
template <class Probe>
__global__ void __launch_bounds__(1024)
    histogram(Probe probe, const uint32_t* in, uint32_t* counts, uint32_t size, uint32_t bins) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const uint32_t value = in[i];
  log.mark(kAtomic);
  atomicAdd(&counts[counterOf(value, bins)], 1U);
}
WARPSCOPE_INSTANTIATE(histogram);

// A histogram of its own for each block, in shared memory, added to the one in global memory at the end.
template <class Probe>
__global__ void __launch_bounds__(1024)
    histogram_shared(Probe probe, const uint32_t* in, uint32_t* counts, uint32_t size, uint32_t bins) {
  extern __shared__ uint32_t block_bins[];  // one counter a bin
  auto log = probe.begin();
  log.mark(kClear);
  for (uint32_t bin = threadIdx.x; bin < bins; bin += blockDim.x) block_bins[bin] = 0;
  __syncthreads();
  log.mark(kAtomic);
  const uint32_t first = blockIdx.x * blockDim.x * kElementsPerThread + threadIdx.x;
#pragma unroll
  for (uint32_t k = 0; k < kElementsPerThread; ++k) {
    const uint32_t i = first + k * blockDim.x;
    if (i < size) atomicAdd(&block_bins[counterOf(in[i], bins)], 1U);
  }
  log.mark(kBarrier);
  __syncthreads();
  log.mark(kFlush);
  for (uint32_t bin = threadIdx.x; bin < bins; bin += blockDim.x) {
    if (block_bins[bin] != 0) atomicAdd(&counts[bin], block_bins[bin]);
  }
}
WARPSCOPE_INSTANTIATE(histogram_shared);

// Each thread draws the next number: what the addition returns tells the order of arrival.
template <class Probe>
__global__ void __launch_bounds__(1024) ticket(Probe probe, const uint32_t* in, uint32_t* next,
                                               uint32_t* tickets, uint32_t size, uint32_t counters) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const uint32_t value = in[i];
  log.mark(kAtomic);
  const uint32_t drawn = atomicAdd(&next[counterOf(value, counters)], 1U);
  log.mark(kStore);
  tickets[i] = drawn;
}
WARPSCOPE_INSTANTIATE(ticket);

// The indices of the kept elements, packed without gaps: one lane reserves room for all that are together.
// The buffer is a ring of `size` slots: a launch that finds the counter advanced stays inside of it.
template <class Probe>
__global__ void __launch_bounds__(1024) compact(Probe probe, const uint32_t* in, uint32_t* reserved,
                                                uint32_t* kept, uint32_t size, uint32_t keep_percent) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  if (isKept(in[i], keep_percent)) {
    log.mark(kAtomic);
    const auto together = cooperative_groups::coalesced_threads();
    uint32_t first = 0;
    if (together.thread_rank() == 0) first = atomicAdd(reserved, together.size());
    first = together.shfl(first, 0);
    log.mark(kStore);
    kept[(first + together.thread_rank()) % size] = i;
  }
}
WARPSCOPE_INSTANTIATE(compact);

}  // namespace warpscope
