// Divergence: the same work under branches of different granularity. Each path is a chain of dependent FMAs
// with its own constants, so that the compiler can neither merge the paths nor shorten them; divergence.cpp
// computes the same on the host.
#include "kernels/experiments/divergence/paths.h"
#include "kernels/experiments/divergence/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace divergence;

__device__ __forceinline__ float fmaChain(float value, float scale, float offset, int work) {
#pragma unroll 4
  for (int i = 0; i < work; ++i) value = fmaf(value, scale, offset);
  return value;
}

// The lane's parity decides: every warp holds both kinds and runs both paths, one after the other.
template <class Probe>
__global__ void __launch_bounds__(1024)
    even_odd(Probe probe, float* out, const float* in, uint32_t size, int work) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float value = in[i];
  if (threadIdx.x % 2 == 0) {
    log.mark(kFirstPath);
    value = fmaChain(value, kFirstScale, kFirstOffset, work);
  } else {
    log.mark(kSecondPath);
    value = fmaChain(value, kSecondScale, kSecondOffset, work);
  }
  log.mark(kStore);
  out[i] = value;
}
WARPSCOPE_INSTANTIATE(even_odd);

// even_odd where `work` is 0: a single multiply-add in each path, and no loop around it. That is too little
// for a branch: the compiler lets all lanes run the same instructions and selects by the lane's parity.
template <class Probe>
__global__ void __launch_bounds__(1024)
    even_odd_short(Probe probe, float* out, const float* in, uint32_t size) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float value = in[i];
  log.mark(kBothPaths);
  if (threadIdx.x % 2 == 0) {
    value = fmaf(value, kFirstScale, kFirstOffset);
  } else {
    value = fmaf(value, kSecondScale, kSecondOffset);
  }
  log.mark(kStore);
  out[i] = value;
}
WARPSCOPE_INSTANTIATE(even_odd_short);

// The threads beyond the third of each block take the first path: only a block's first warp disagrees.
template <class Probe>
__global__ void __launch_bounds__(1024)
    thread_gt_2(Probe probe, float* out, const float* in, uint32_t size, int work) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float value = in[i];
  if (threadIdx.x > 2) {
    log.mark(kFirstPath);
    value = fmaChain(value, kFirstScale, kFirstOffset, work);
  } else {
    log.mark(kSecondPath);
    value = fmaChain(value, kSecondScale, kSecondOffset, work);
  }
  log.mark(kStore);
  out[i] = value;
}
WARPSCOPE_INSTANTIATE(thread_gt_2);

// The warp's parity decides: the lanes of a warp agree, and each warp runs one path.
template <class Probe>
__global__ void __launch_bounds__(1024)
    warp_aligned(Probe probe, float* out, const float* in, uint32_t size, int work) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float value = in[i];
  if ((threadIdx.x / 32) % 2 == 0) {
    log.mark(kFirstPath);
    value = fmaChain(value, kFirstScale, kFirstOffset, work);
  } else {
    log.mark(kSecondPath);
    value = fmaChain(value, kSecondScale, kSecondOffset, work);
  }
  log.mark(kStore);
  out[i] = value;
}
WARPSCOPE_INSTANTIATE(warp_aligned);

// The warp's parity again, by shift and mask. The parentheses are needed: == binds more tightly than &, so
// that `threadIdx.x >> 5 & 1 == 0` is `threadIdx.x >> 5 & 0`, which is never true.
template <class Probe>
__global__ void __launch_bounds__(1024)
    warp_shift(Probe probe, float* out, const float* in, uint32_t size, int work) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float value = in[i];
  if (((threadIdx.x >> 5) & 1) == 0) {
    log.mark(kFirstPath);
    value = fmaChain(value, kFirstScale, kFirstOffset, work);
  } else {
    log.mark(kSecondPath);
    value = fmaChain(value, kSecondScale, kSecondOffset, work);
  }
  log.mark(kStore);
  out[i] = value;
}
WARPSCOPE_INSTANTIATE(warp_shift);

// The block's parity decides: whole blocks agree.
template <class Probe>
__global__ void __launch_bounds__(1024)
    block_aligned(Probe probe, float* out, const float* in, uint32_t size, int work) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float value = in[i];
  if (blockIdx.x % 2 == 0) {
    log.mark(kFirstPath);
    value = fmaChain(value, kFirstScale, kFirstOffset, work);
  } else {
    log.mark(kSecondPath);
    value = fmaChain(value, kSecondScale, kSecondOffset, work);
  }
  log.mark(kStore);
  out[i] = value;
}
WARPSCOPE_INSTANTIATE(block_aligned);

// What even_odd computes, without a branch: the two paths differ in their constants alone, which each lane
// selects.
template <class Probe>
__global__ void __launch_bounds__(1024)
    branchless(Probe probe, float* out, const float* in, uint32_t size, int work) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float value = in[i];
  log.mark(kBothPaths);
  const bool even = threadIdx.x % 2 == 0;
  const float scale = even ? kFirstScale : kSecondScale;
  const float offset = even ? kFirstOffset : kSecondOffset;
  value = fmaChain(value, scale, offset, work);
  log.mark(kStore);
  out[i] = value;
}
WARPSCOPE_INSTANTIATE(branchless);

// Two separate ifs on a stored predicate. The empty asm hides where the predicate comes from; otherwise the
// compiler sees that just one of the ifs is taken and makes even_odd of it.
template <class Probe>
__global__ void __launch_bounds__(1024)
    split_ifs(Probe probe, float* out, const float* in, uint32_t size, int work) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float value = in[i];
  int even = threadIdx.x % 2 == 0;
  int odd = !even;
  asm volatile("" : "+r"(even), "+r"(odd));
  if (even) {
    log.mark(kFirstPath);
    value = fmaChain(value, kFirstScale, kFirstOffset, work);
  }
  log.mark(kBetween);
  if (odd) {
    log.mark(kSecondPath);
    value = fmaChain(value, kSecondScale, kSecondOffset, work);
  }
  log.mark(kStore);
  out[i] = value;
}
WARPSCOPE_INSTANTIATE(split_ifs);

// if (way == 0) ... else if (way == 1) ... else ..., up to 32 ways, each with constants of its own.
template <uint32_t kWay, class Log>
__device__ __forceinline__ float elseIf(Log& log, uint32_t way, float value, int work) {
  if constexpr (kWay < kMaxWays) {
    if (way == kWay) {
      log.mark(kPath);
      return fmaChain(value, kWayScale, kWayOffsetStep * (kWay + 1), work);
    }
    return elseIf<kWay + 1>(log, way, value, work);
  } else {
    return value;
  }
}

// The lane's number modulo `ways` picks one of `ways` paths: a warp runs all of them, one after the other.
template <class Probe>
__global__ void __launch_bounds__(1024)
    nested(Probe probe, float* out, const float* in, uint32_t size, int work, uint32_t ways) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float value = in[i];
  value = elseIf<0>(log, (threadIdx.x % 32) % ways, value, work);
  log.mark(kStore);
  out[i] = value;
}
WARPSCOPE_INSTANTIATE(nested);

// Lane l makes 1 + l % trips trips: the warp loops until its last lane is done, the others wait.
template <class Probe>
__global__ void __launch_bounds__(1024)
    loop_trips(Probe probe, float* out, const float* in, uint32_t size, int work, uint32_t trips) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float value = in[i];
  const uint32_t own_trips = 1 + (threadIdx.x % 32) % trips;
#pragma unroll 1
  for (uint32_t trip = 0; trip < own_trips; ++trip) {
    log.mark(kTrip);
    value = fmaChain(value, kFirstScale, kFirstOffset, work);
  }
  log.mark(kStore);
  out[i] = value;
}
WARPSCOPE_INSTANTIATE(loop_trips);

// The data decide: elements below `threshold` have work, the others stay as they are.
template <class Probe>
__global__ void __launch_bounds__(1024)
    data_dependent(Probe probe, float* out, const float* in, uint32_t size, int work, float threshold) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  float value = in[i];
  if (value < threshold) {
    log.mark(kFirstPath);
    value = fmaChain(value, kFirstScale, kFirstOffset, work);
  }
  log.mark(kStore);
  out[i] = value;
}
WARPSCOPE_INSTANTIATE(data_dependent);

// The same in two passes: first the lanes that found work push it into a queue of the block, then all lanes
// drain the queue together. The queue's first word counts its entries.
template <class Probe>
__global__ void __launch_bounds__(1024)
    work_queue(Probe probe, float* out, const float* in, uint32_t size, int work, float threshold) {
  extern __shared__ uint32_t queue[];  // [1 + blockDim.x]
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) queue[0] = 0;
  __syncthreads();
  const float value = i < size ? in[i] : threshold;  // past the end there is no work
  log.mark(kScout);
  if (value < threshold) {
    queue[1 + atomicAdd(&queue[0], 1U)] = i;
  } else if (i < size) {
    out[i] = value;
  }
  log.mark(kBarrier);
  __syncthreads();
  if (threadIdx.x < queue[0]) {
    log.mark(kFirstPath);
    const uint32_t own = queue[1 + threadIdx.x];
    out[own] = fmaChain(in[own], kFirstScale, kFirstOffset, work);
  }
}
WARPSCOPE_INSTANTIATE(work_queue);

}  // namespace warpscope
