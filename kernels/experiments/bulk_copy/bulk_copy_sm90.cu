// Bulk copies: each block works through tiles of a vector in shared memory. What differs is how a tile gets
// there: by loads and stores of its threads, by their cp.async, or by one thread's cp.async.bulk, whose bytes
// an mbarrier counts. Several tiles can be under way at once, each in a stage of its own.
//
// out[i] = 3 * in[i] + in[j], where j is i's mirror image in its tile, so that threads need each other's
// elements.
#include "kernels/experiments/bulk_copy/mbarrier.cuh"
#include "kernels/experiments/bulk_copy/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace bulk_copy;

__device__ __forceinline__ void copyBulk(void* to, const void* from, uint32_t bytes, uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          sharedAddress(to)),
      "l"(from), "r"(bytes), "r"(sharedAddress(barrier))
      : "memory");
}
__device__ __forceinline__ void copyAsync(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(to)), "l"(from) : "memory");
}

// The elements of one thread of the `threads` that compute.
__device__ __forceinline__ void compute(const uint32_t* tile, uint32_t* out, uint32_t thread,
                                        uint32_t threads) {
  const uint32_t last = threads * kElementsPerThread - 1;
#pragma unroll
  for (uint32_t k = 0; k < kElementsPerThread; ++k) {
    const uint32_t i = thread + k * threads;
    out[i] = 3 * tile[i] + tile[last - i];
  }
}

// Every thread loads four elements and stores them in shared memory; then all wait.
template <class Probe>
__global__ void __launch_bounds__(1024)
    plain_loads(Probe probe, const uint32_t* in, uint32_t* out, uint32_t tiles, uint32_t /*stages*/) {
  extern __shared__ __align__(128) uint32_t memory[];
  auto log = probe.begin();
  const uint32_t elements = blockDim.x * kElementsPerThread;
  const uint32_t first = blockIdx.x * kTilesPerBlock, end = min(first + kTilesPerBlock, tiles);
  for (uint32_t tile = first; tile < end; ++tile) {
    log.mark(kCopy);
    const uint4* from = reinterpret_cast<const uint4*>(in + size_t{tile} * elements);
    reinterpret_cast<uint4*>(memory)[threadIdx.x] = from[threadIdx.x];
    log.mark(kWaitFull);
    __syncthreads();
    log.mark(kCompute);
    compute(memory, out + size_t{tile} * elements, threadIdx.x, blockDim.x);
    log.mark(kWaitEmpty);
    __syncthreads();
  }
}
WARPSCOPE_INSTANTIATE(plain_loads);

// Every thread copies 16 bytes of each tile asynchronously; `stages` tiles are under way.
template <class Probe>
__global__ void __launch_bounds__(1024)
    cp_async(Probe probe, const uint32_t* in, uint32_t* out, uint32_t tiles, uint32_t stages) {
  extern __shared__ __align__(128) uint32_t memory[];
  auto log = probe.begin();
  const uint32_t elements = blockDim.x * kElementsPerThread;
  const uint32_t first = blockIdx.x * kTilesPerBlock, end = min(first + kTilesPerBlock, tiles);
  const auto begin_copy = [&](uint32_t tile) {
    if (tile < end) {
      copyAsync(memory + (tile - first) % stages * elements + threadIdx.x * kElementsPerThread,
                in + size_t{tile} * elements + threadIdx.x * kElementsPerThread);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");  // an empty one counts, too
  };
  log.mark(kCopy);
  for (uint32_t ahead = 0; ahead + 1 < stages; ++ahead) begin_copy(first + ahead);
  for (uint32_t tile = first; tile < end; ++tile) {
    log.mark(kCopy);
    begin_copy(tile + stages - 1);
    log.mark(kWaitFull);
    // All groups but the latest `stages` - 1, a number that must be known when it is compiled.
    switch (stages) {
      case 1:
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        break;
      case 2:
        asm volatile("cp.async.wait_group 1;" ::: "memory");
        break;
      case 3:
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        break;
      default:
        asm volatile("cp.async.wait_group 3;" ::: "memory");
        break;
    }
    __syncthreads();
    log.mark(kCompute);
    compute(memory + (tile - first) % stages * elements, out + size_t{tile} * elements, threadIdx.x,
            blockDim.x);
    log.mark(kWaitEmpty);
    __syncthreads();
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
}
WARPSCOPE_INSTANTIATE(cp_async);

// The first warp only copies: one of its threads starts a bulk copy for each tile as soon as the tile's stage
// is empty. The other warps compute. Two mbarriers a stage: `full` counts the bytes, `empty` the warps that
// have read.
template <class Probe>
__global__ void __launch_bounds__(1024)
    bulk(Probe probe, const uint32_t* in, uint32_t* out, uint32_t tiles, uint32_t stages) {
  extern __shared__ __align__(128) uint32_t memory[];
  __shared__ uint64_t full[kMostStages], empty[kMostStages];
  auto log = probe.begin();
  log.mark(kPrepare);
  const uint32_t threads = blockDim.x - 32, elements = threads * kElementsPerThread;
  const uint32_t first = blockIdx.x * kTilesPerBlock, count = min(kTilesPerBlock, tiles - first);
  if (threadIdx.x == 0) {
    for (uint32_t stage = 0; stage < stages; ++stage) {
      initBarrier(&full[stage], 1);
      initBarrier(&empty[stage], threads / 32);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (uint32_t n = 0; n < count; ++n) {
      const uint32_t stage = n % stages, round = n / stages;
      if (round > 0) {
        log.mark(kWaitEmpty);
        waitFor(&empty[stage], (round - 1) & 1);
      }
      log.mark(kCopy);
      arriveExpecting(&full[stage], elements * 4);
      copyBulk(memory + stage * elements, in + size_t{first + n} * elements, elements * 4, &full[stage]);
    }
  }
  if (threadIdx.x < 32) return;
  const uint32_t thread = threadIdx.x - 32;
  for (uint32_t n = 0; n < count; ++n) {
    const uint32_t stage = n % stages;
    log.mark(kWaitFull);
    waitFor(&full[stage], n / stages & 1);
    log.mark(kCompute);
    compute(memory + stage * elements, out + size_t{first + n} * elements, thread, threads);
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(&empty[stage]);
  }
}
WARPSCOPE_INSTANTIATE(bulk);

// The same, and the results go back the same way: each warp writes them to shared memory, and one of its
// threads starts a bulk copy to global memory.
template <class Probe>
__global__ void __launch_bounds__(1024)
    bulk_both_ways(Probe probe, const uint32_t* in, uint32_t* out, uint32_t tiles, uint32_t stages) {
  extern __shared__ __align__(128) uint32_t memory[];
  __shared__ uint64_t full[kMostStages], empty[kMostStages];
  auto log = probe.begin();
  log.mark(kPrepare);
  const uint32_t threads = blockDim.x - 32, elements = threads * kElementsPerThread;
  const uint32_t first = blockIdx.x * kTilesPerBlock, count = min(kTilesPerBlock, tiles - first);
  if (threadIdx.x == 0) {
    for (uint32_t stage = 0; stage < stages; ++stage) {
      initBarrier(&full[stage], 1);
      initBarrier(&empty[stage], threads / 32);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (uint32_t n = 0; n < count; ++n) {
      const uint32_t stage = n % stages, round = n / stages;
      if (round > 0) {
        log.mark(kWaitEmpty);
        waitFor(&empty[stage], (round - 1) & 1);
      }
      log.mark(kCopy);
      arriveExpecting(&full[stage], elements * 4);
      copyBulk(memory + stage * elements, in + size_t{first + n} * elements, elements * 4, &full[stage]);
    }
  }
  if (threadIdx.x < 32) return;
  const uint32_t thread = threadIdx.x - 32, lane = threadIdx.x % 32, warp = thread / 32;
  // Behind the stages: 128 results of each warp.
  uint32_t* results = memory + stages * elements + warp * 32 * kElementsPerThread;
  for (uint32_t n = 0; n < count; ++n) {
    const uint32_t stage = n % stages;
    const uint32_t* tile = memory + stage * elements;
    log.mark(kWaitFull);
    waitFor(&full[stage], n / stages & 1);
    log.mark(kStore);
    if (lane == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    __syncwarp();
    log.mark(kCompute);
#pragma unroll
    for (uint32_t k = 0; k < kElementsPerThread; ++k) {
      const uint32_t i = warp * 32 * kElementsPerThread + k * 32 + lane;
      results[k * 32 + lane] = 3 * tile[i] + tile[elements - 1 - i];
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncwarp();
    if (lane == 0) {
      arrive(&empty[stage]);
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                       out + size_t{first + n} * elements + warp * 32 * kElementsPerThread),
                   "r"(sharedAddress(results)), "r"(32 * kElementsPerThread * 4)
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    }
  }
  if (lane == 0) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
WARPSCOPE_INSTANTIATE(bulk_both_ways);

}  // namespace warpscope
