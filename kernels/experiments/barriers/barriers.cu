// Barriers: in each round every warp has another amount of work, puts its values on a board, waits for its
// group and adds what its neighbour in the group put there. The groups differ: the block, 128 threads, or the
// warp.
#include "kernels/experiments/barriers/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace barriers;

// One to eight shares of `work`, as warp and round will have it.
__device__ __forceinline__ uint32_t uneven(uint32_t value, uint32_t round, uint32_t work) {
  const uint32_t shares = 1 + (threadIdx.x / 32 * kWarpStep + round * kRoundStep) % kShares;
#pragma unroll 1
  for (uint32_t step = 0; step < shares * work; ++step) value = value * kFactor + kSummand;
  return value;
}

// Who sits behind this thread in its group of at most `most` threads, in a ring.
__device__ __forceinline__ uint32_t neighbour(uint32_t most) {
  const uint32_t first = threadIdx.x / most * most;
  const uint32_t count = min(most, blockDim.x - first);
  return first + (threadIdx.x - first + 1) % count;
}

// All warps of the block wait for the slowest, round by round. The board has two sides, used in turn: one
// barrier a round is enough.
template <class Probe>
__global__ void __launch_bounds__(1024) block_wide(Probe probe, const uint32_t* in, uint32_t* out,
                                                   uint32_t size, uint32_t rounds, uint32_t work) {
  __shared__ uint32_t board[2][1024];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t value = i < size ? in[i] : 0;
  for (uint32_t round = 0; round < rounds; ++round) {
    log.mark(kWork);
    value = uneven(value, round, work);
    board[round % 2][threadIdx.x] = value;
    log.mark(kWait);
    __syncthreads();
    log.mark(kExchange);
    value += board[round % 2][neighbour(blockDim.x)];
  }
  log.mark(kStore);
  if (i < size) out[i] = value;
}
WARPSCOPE_INSTANTIATE(block_wide);

// Tiles of four warps wait among themselves, each at a barrier of its own: a slow warp holds up three others.
template <class Probe>
__global__ void __launch_bounds__(1024)
    tile_wide(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size, uint32_t rounds, uint32_t work) {
  __shared__ uint32_t board[2][1024];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t tile = threadIdx.x / kTileThreads;
  const uint32_t threads = min(kTileThreads, blockDim.x - tile * kTileThreads);
  uint32_t value = i < size ? in[i] : 0;
  for (uint32_t round = 0; round < rounds; ++round) {
    log.mark(kWork);
    value = uneven(value, round, work);
    board[round % 2][threadIdx.x] = value;
    log.mark(kWait);
    asm volatile("bar.sync %0, %1;" ::"r"(tile), "r"(threads) : "memory");
    log.mark(kExchange);
    value += board[round % 2][neighbour(kTileThreads)];
  }
  log.mark(kStore);
  if (i < size) out[i] = value;
}
WARPSCOPE_INSTANTIATE(tile_wide);

// Only the lanes of a warp wait for each other: warps run as far ahead as they can.
template <class Probe>
__global__ void __launch_bounds__(1024)
    warp_wide(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size, uint32_t rounds, uint32_t work) {
  __shared__ uint32_t board[2][1024];
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t value = i < size ? in[i] : 0;
  for (uint32_t round = 0; round < rounds; ++round) {
    log.mark(kWork);
    value = uneven(value, round, work);
    board[round % 2][threadIdx.x] = value;
    log.mark(kWait);
    __syncwarp();
    log.mark(kExchange);
    value += board[round % 2][neighbour(32)];
  }
  log.mark(kStore);
  if (i < size) out[i] = value;
}
WARPSCOPE_INSTANTIATE(warp_wide);

}  // namespace warpscope
