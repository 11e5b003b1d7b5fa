// Latency: an instruction's result, or a load's data, comes some cycles after it was issued. Meanwhile a warp
// can only do what does not need it, and an SM only what other warps have to do. How much must be under way
// follows from Little's law: latency x throughput.
//
// Grids here are as large as are to be resident at once, so that warps per SM are what was asked for.
#include "kernels/experiments/latency/shape.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace latency;

__device__ __forceinline__ uint32_t threadOfGrid() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ uint32_t threadsOfGrid() {
  return gridDim.x * blockDim.x;
}

#ifndef WARPSCOPE_SM80

// Each multiply-add of a chain needs the one before; those of other chains do not. `one` is 1, which the
// compiler does not know: every step adds 1, so that the result counts the steps. A first round, not counted
// as work, brings the instructions into the caches.
template <uint32_t kChains, class Log>
__device__ __forceinline__ float chains(Log& log, float first, float one, uint32_t rounds) {
  float chain[kChains];
#pragma unroll
  for (uint32_t c = 0; c < kChains; ++c) chain[c] = first + c;
#pragma unroll 1
  for (uint32_t pass = 0; pass < 2; ++pass) {
    __syncthreads();
    if (pass == 0) {
      log.mark(kFetch);
    } else {
      log.mark(kWork);
    }
    const uint32_t count = pass == 0 ? 1 : rounds;
#pragma unroll 1
    for (uint32_t round = 0; round < count; ++round) {
#pragma unroll
      for (uint32_t step = 0; step < kFmasInRound / kChains; ++step) {
#pragma unroll
        for (uint32_t c = 0; c < kChains; ++c) chain[c] = fmaf(chain[c], one, one);
      }
    }
  }
  float sum = 0;
#pragma unroll
  for (uint32_t c = 0; c < kChains; ++c) sum += chain[c];
  return sum;
}

// Arithmetic alone: `ilp` chains a thread, as many warps as were asked for.
template <class Probe>
__global__ void __launch_bounds__(1024)
    dependent_fma(Probe probe, float* out, uint32_t rounds, uint32_t ilp, float one) {
  auto log = probe.begin();
  const uint32_t i = threadOfGrid();
  const auto first = static_cast<float>(i % 64);
  // In a register of each thread, as far as the compiler knows: a multiply-add that takes an operand from
  // where uniform values are kept goes at half the rate on an H100.
  const float step = fmaf(0.0F, first, one);
  float sum = 0;
  switch (ilp) {
    case 1:
      sum = chains<1>(log, first, step, rounds);
      break;
    case 2:
      sum = chains<2>(log, first, step, rounds);
      break;
    case 3:
      sum = chains<3>(log, first, step, rounds);
      break;
    case 4:
      sum = chains<4>(log, first, step, rounds);
      break;
    case 5:
      sum = chains<5>(log, first, step, rounds);
      break;
    case 6:
      sum = chains<6>(log, first, step, rounds);
      break;
    case 7:
      sum = chains<7>(log, first, step, rounds);
      break;
    default:
      sum = chains<8>(log, first, step, rounds);
      break;
  }
  log.mark(kStore);
  out[i] = sum;
}
WARPSCOPE_INSTANTIATE(dependent_fma);

// What a chase leaves behind: where each thread ended, and how long each warp took.
struct ChaseResult {
  uint32_t* cycles;
  uint32_t* ends;

  __device__ __forceinline__ void store(uint32_t end, uint64_t begin_clock) const {
    ends[threadIdx.x] = end;  // in order of issue: the last load is back before the clock is read
    const uint64_t end_clock = clock64();
    if (threadIdx.x % 32 == 0) cycles[threadIdx.x / 32] = static_cast<uint32_t>(end_clock - begin_clock);
  }
};

// A ring of pointers, built and walked by this block: through L1, or past it.
template <bool kThroughL1, class Log>
__device__ __forceinline__ void chaseGlobal(Log& log, uint64_t* ring, uint32_t stride, uint32_t nodes,
                                            uint32_t hops, ChaseResult result) {
  log.mark(kBuild);
  for (uint32_t node = threadIdx.x; node < nodes; node += blockDim.x) {
    const uint32_t next = node + 1 == nodes ? 0 : node + 1;
    ring[uint64_t{node} * stride / sizeof(uint64_t)] =
        reinterpret_cast<uint64_t>(ring) + uint64_t{next} * stride;
  }
  __syncthreads();
  const auto follow = [](uint64_t address) {
    const auto* node = reinterpret_cast<const unsigned long long*>(address);
    return kThroughL1 ? __ldca(node) : __ldcg(node);
  };
  // Brings all of it to where it is to be found: a store of 8 bytes leaves the rest of its sector in device
  // memory.
  uint64_t touched = 0;
  for (uint32_t node = threadIdx.x; node < nodes; node += blockDim.x) {
    touched |= follow(reinterpret_cast<uint64_t>(ring) + uint64_t{node} * stride);
  }
  __syncthreads();
  const uint32_t start = threadIdx.x / 32 * (nodes / kRingParts);
  uint64_t at = reinterpret_cast<uint64_t>(ring) + uint64_t{start} * stride;
  if (touched == 1) at = 0;  // never: pointers are multiples of 8
  log.mark(kChase);
  const uint64_t begin = clock64();
#pragma unroll 4
  for (uint32_t hop = 0; hop < hops; ++hop) at = follow(at);
  result.store(static_cast<uint32_t>((at - reinterpret_cast<uint64_t>(ring)) / stride), begin);
}

template <class Log>
__device__ __forceinline__ void chaseShared(Log& log, uint32_t stride, uint32_t nodes, uint32_t hops,
                                            ChaseResult result) {
  __shared__ uint32_t ring[kSharedRingBytes / sizeof(uint32_t)];
  log.mark(kBuild);
  const auto base = static_cast<uint32_t>(__cvta_generic_to_shared(ring));
  for (uint32_t node = threadIdx.x; node < nodes; node += blockDim.x) {
    const uint32_t next = node + 1 == nodes ? 0 : node + 1;
    ring[node * stride / sizeof(uint32_t)] = base + next * stride;
  }
  __syncthreads();
  uint32_t at = base + threadIdx.x / 32 * (nodes / kRingParts) * stride;
  log.mark(kChase);
  const uint64_t begin = clock64();
#pragma unroll 4
  for (uint32_t hop = 0; hop < hops; ++hop) {
    asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
  }
  result.store((at - base) / stride, begin);
}

// Reads the buffer with all threads of the grid, so that L2 holds nothing else; true in the block that comes
// last. One counter, back at 0 when all have come.
template <class Log>
__device__ __forceinline__ bool sweepAndBeLast(Log& log, const uint4* from, uint32_t count,
                                               uint32_t* arrived) {
  __shared__ bool last;
  log.mark(kSweep);
  uint32_t any = 0;
#pragma unroll 4
  for (uint32_t i = threadOfGrid(); i < count; i += threadsOfGrid()) {
    const uint4 word = __ldcg(from + i);
    any |= word.x | word.y | word.z | word.w;
  }
  __syncthreads();
  // `any` is no ticket's value: it only has to be used.
  if (threadIdx.x == 0) last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1 && any != UINT32_MAX;
  __syncthreads();
  return last;
}

// A ring of offsets larger than L2, walked past L1 from its front on.
template <class Log>
__device__ __forceinline__ void chaseDevice(Log& log, const uint32_t* ring, uint32_t stride, uint32_t nodes,
                                            uint32_t hops, ChaseResult result) {
  uint32_t at = threadIdx.x / 32 * (nodes / kRingParts) * (stride / sizeof(uint32_t));
  log.mark(kChase);
  const uint64_t begin = clock64();
#pragma unroll 4
  for (uint32_t hop = 0; hop < hops; ++hop) at = __ldcg(ring + at);
  result.store(at / (stride / sizeof(uint32_t)), begin);
}

// Each load's address is what the load before brought: one at a time, at the latency of where it lies.
template <class Probe>
__global__ void __launch_bounds__(1024)
    pointer_chase(Probe probe, uint64_t* ring, uint32_t* arrived, uint32_t* cycles, uint32_t* ends,
                  uint32_t level, uint32_t stride, uint32_t nodes, uint32_t hops, uint32_t swept) {
  auto log = probe.begin();
  const ChaseResult result{cycles, ends};
  if (level == kShared) {
    chaseShared(log, stride, nodes, hops, result);
  } else if (level == kL1) {
    chaseGlobal<true>(log, ring, stride, nodes, hops, result);
  } else if (level == kL2) {
    chaseGlobal<false>(log, ring, stride, nodes, hops, result);
  } else if (sweepAndBeLast(log, reinterpret_cast<const uint4*>(ring), swept, arrived)) {
    chaseDevice(log, reinterpret_cast<const uint32_t*>(ring), stride, nodes, hops, result);
  }
}
WARPSCOPE_INSTANTIATE(pointer_chase);

__device__ __forceinline__ uint32_t sumOf(uint32_t word) {
  return word;
}
__device__ __forceinline__ uint32_t sumOf(uint2 words) {
  return words.x + words.y;
}
__device__ __forceinline__ uint32_t sumOf(uint4 words) {
  return words.x + words.y + words.z + words.w;
}

// Rounds of kLoads loads that do not wait for each other; their sum waits for all. The first is not counted:
// it brings the instructions into the caches.
template <class Word, uint32_t kLoads, class Log>
__device__ __forceinline__ uint32_t readRounds(Log& log, const void* in, uint32_t rounds) {
  const Word* at = static_cast<const Word*>(in) + threadOfGrid();
  uint32_t sum = 0;
#pragma unroll 1
  for (uint32_t pass = 0; pass < 2; ++pass) {
    __syncthreads();
    if (pass == 0) {
      log.mark(kFetch);
    } else {
      log.mark(kRead);
    }
    const uint32_t count = pass == 0 ? 1 : rounds;
#pragma unroll 1
    for (uint32_t round = 0; round < count; ++round) {
      Word words[kLoads];
#pragma unroll
      for (uint32_t k = 0; k < kLoads; ++k) {
        words[k] = __ldcg(at);
        at += threadsOfGrid();
      }
      __syncwarp();  // no load moves behind it, and so none behind the first additions
#pragma unroll
      for (uint32_t k = 0; k < kLoads; ++k) sum += sumOf(words[k]);
    }
  }
  return sum;
}

template <class Word, class Log>
__device__ __forceinline__ uint32_t readWords(Log& log, const void* in, uint32_t rounds, uint32_t loads) {
  switch (loads) {
    case 1:
      return readRounds<Word, 1>(log, in, rounds);
    case 2:
      return readRounds<Word, 2>(log, in, rounds);
    case 3:
      return readRounds<Word, 3>(log, in, rounds);
    case 4:
      return readRounds<Word, 4>(log, in, rounds);
    case 5:
      return readRounds<Word, 5>(log, in, rounds);
    case 6:
      return readRounds<Word, 6>(log, in, rounds);
    case 7:
      return readRounds<Word, 7>(log, in, rounds);
    default:
      return readRounds<Word, 8>(log, in, rounds);
  }
}

// Memory alone: `loads` loads of `width` bytes a thread are under way at a time. The bound of one block tells
// ptxas that it may use the registers that this needs.
template <class Probe>
__global__ void __launch_bounds__(1024, 1) bytes_in_flight(Probe probe, const uint32_t* in, uint32_t* out,
                                                           uint32_t rounds, uint32_t loads, uint32_t width) {
  auto log = probe.begin();
  uint32_t sum = 0;
  if (width == 4) {
    sum = readWords<uint32_t>(log, in, rounds, loads);
  } else if (width == 8) {
    sum = readWords<uint2>(log, in, rounds, loads);
  } else {
    sum = readWords<uint4>(log, in, rounds, loads);
  }
  log.mark(kStore);
  out[threadOfGrid()] = sum;
}
WARPSCOPE_INSTANTIATE(bytes_in_flight);

#endif

// What is done with 16 bytes of a tile that another thread brought.
__device__ __forceinline__ uint32_t used(uint4 words, uint32_t work) {
  uint32_t value = words.x + words.y + words.z + words.w;
#pragma unroll 1
  for (uint32_t step = 0; step < work; ++step) value = value * kFactor + kSummand;
  return value;
}
__device__ __forceinline__ uint32_t neighbour() {
  return threadIdx.x + 1 == blockDim.x ? 0 : threadIdx.x + 1;
}

#ifndef WARPSCOPE_SM80

// kStages tiles under way in registers, 4 registers a thread and tile; each is stored into shared memory when
// its turn comes.
template <uint32_t kStages, class Log>
__device__ __forceinline__ uint32_t pipelineOfRegisters(Log& log, uint4* ring, const uint4* in,
                                                        uint32_t tiles, uint32_t work) {
  uint4 coming[kStages];
  log.mark(kIssue);
#pragma unroll
  for (uint32_t stage = 0; stage < kStages; ++stage) coming[stage] = __ldcg(in + stage * blockDim.x);
  uint32_t sum = 0;
#pragma unroll 1
  for (uint32_t first = 0; first < tiles; first += kStages) {
#pragma unroll
    for (uint32_t stage = 0; stage < kStages; ++stage) {
      uint4* tile = ring + stage * blockDim.x;
      log.mark(kWait);
      tile[threadIdx.x] = coming[stage];
      __syncthreads();
      log.mark(kUse);
      sum += used(tile[neighbour()], work);
      __syncthreads();
      log.mark(kIssue);
      const uint32_t next = first + stage + kStages;
      if (next < tiles) coming[stage] = __ldcg(in + next * blockDim.x);
    }
  }
  return sum;
}

// Tiles of 16 bytes a thread go from global memory through registers into shared memory, where others read
// them. `tiles` is a multiple of `stages`.
template <class Probe>
__global__ void __launch_bounds__(1024) through_registers(Probe probe, const uint4* in, uint32_t* out,
                                                          uint32_t tiles, uint32_t work, uint32_t stages) {
  extern __shared__ uint4 ring[];
  auto log = probe.begin();
  const uint4* first = in + blockIdx.x * tiles * blockDim.x + threadIdx.x;
  uint32_t sum = 0;
  if (stages == 1) {
    sum = pipelineOfRegisters<1>(log, ring, first, tiles, work);
  } else if (stages == 2) {
    sum = pipelineOfRegisters<2>(log, ring, first, tiles, work);
  } else if (stages == 3) {
    sum = pipelineOfRegisters<3>(log, ring, first, tiles, work);
  } else {
    sum = pipelineOfRegisters<4>(log, ring, first, tiles, work);
  }
  log.mark(kStore);
  out[threadOfGrid()] = sum;
}
WARPSCOPE_INSTANTIATE(through_registers);

#else

__device__ __forceinline__ void copyAsync(uint4* to, const uint4* from) {
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(static_cast<uint32_t>(__cvta_generic_to_shared(to))),
      "l"(__cvta_generic_to_global(from))
      : "memory");
}
__device__ __forceinline__ void endGroup() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
// Until at most kLeft of this thread's groups are under way.
template <uint32_t kLeft>
__device__ __forceinline__ void awaitGroups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

// kStages tiles under way, none of them in registers.
template <uint32_t kStages, class Log>
__device__ __forceinline__ uint32_t pipelineOfCopies(Log& log, uint4* ring, const uint4* in, uint32_t tiles,
                                                     uint32_t work) {
  log.mark(kIssue);
#pragma unroll
  for (uint32_t stage = 0; stage < kStages; ++stage) {
    copyAsync(ring + stage * blockDim.x + threadIdx.x, in + stage * blockDim.x);
    endGroup();
  }
  uint32_t sum = 0;
#pragma unroll 1
  for (uint32_t first = 0; first < tiles; first += kStages) {
#pragma unroll
    for (uint32_t stage = 0; stage < kStages; ++stage) {
      uint4* tile = ring + stage * blockDim.x;
      log.mark(kWait);
      awaitGroups<kStages - 1>();
      __syncthreads();
      log.mark(kUse);
      sum += used(tile[neighbour()], work);
      __syncthreads();
      log.mark(kIssue);
      const uint32_t next = first + stage + kStages;
      if (next < tiles) copyAsync(tile + threadIdx.x, in + next * blockDim.x);
      endGroup();  // an empty one counts as well
    }
  }
  return sum;
}

// The same tiles, copied into shared memory by cp.async: no register waits for them.
template <class Probe>
__global__ void __launch_bounds__(1024)
    async_copy(Probe probe, const uint4* in, uint32_t* out, uint32_t tiles, uint32_t work, uint32_t stages) {
  extern __shared__ uint4 ring[];
  auto log = probe.begin();
  const uint4* first = in + blockIdx.x * tiles * blockDim.x + threadIdx.x;
  uint32_t sum = 0;
  if (stages == 1) {
    sum = pipelineOfCopies<1>(log, ring, first, tiles, work);
  } else if (stages == 2) {
    sum = pipelineOfCopies<2>(log, ring, first, tiles, work);
  } else if (stages == 3) {
    sum = pipelineOfCopies<3>(log, ring, first, tiles, work);
  } else {
    sum = pipelineOfCopies<4>(log, ring, first, tiles, work);
  }
  log.mark(kStore);
  out[threadOfGrid()] = sum;
}
WARPSCOPE_INSTANTIATE(async_copy);

#endif

}  // namespace warpscope
