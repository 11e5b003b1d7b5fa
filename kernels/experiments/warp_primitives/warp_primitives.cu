// Warp primitives: the lanes of a warp exchange registers, vote and compare without memory or barriers. The
// lanes named by `members` take part; the others go around the primitive and keep what they have. Elements
// past the end count as 0, so that every warp is whole when it meets.
#include "kernels/experiments/warp_primitives/regions.h"
#include "kernels/probe/probe.cuh"

namespace warpscope {

using namespace warp_primitives;

__device__ __forceinline__ uint32_t elementOrZero(const uint32_t* in, uint32_t i, uint32_t size) {
  return i < size ? in[i] : 0;
}

__device__ __forceinline__ bool isMember(uint32_t members, uint32_t lane) {
  return (members >> lane & 1) != 0;
}

// Every lane gets the value of lane `distance` of its segment of `width` lanes. A lane whose source does not
// take part asks itself: what a lane that stays away would give is undefined.
template <class Probe>
__global__ void __launch_bounds__(1024)
    shfl_idx(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size, uint32_t members, uint32_t width,
             uint32_t distance) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t lane = threadIdx.x % 32;
  uint32_t value = elementOrZero(in, i, size);
  if (isMember(members, lane)) {
    log.mark(kPrimitive);
    const uint32_t source = (lane & ~(width - 1)) | (distance & (width - 1));
    value = __shfl_sync(members, value, static_cast<int>(isMember(members, source) ? distance : lane),
                        static_cast<int>(width));
  } else {
    log.mark(kOutside);
  }
  log.mark(kStore);
  if (i < size) out[i] = value;
}
WARPSCOPE_INSTANTIATE(shfl_idx);

// Values move up by `distance` lanes; the first lanes of each segment keep their own.
template <class Probe>
__global__ void __launch_bounds__(1024) shfl_up(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size,
                                                uint32_t members, uint32_t width, uint32_t distance) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t lane = threadIdx.x % 32;
  uint32_t value = elementOrZero(in, i, size);
  if (isMember(members, lane)) {
    log.mark(kPrimitive);
    const bool there = (lane & (width - 1)) >= distance && isMember(members, lane - distance);
    value = __shfl_up_sync(members, value, there ? distance : 0, static_cast<int>(width));
  } else {
    log.mark(kOutside);
  }
  log.mark(kStore);
  if (i < size) out[i] = value;
}
WARPSCOPE_INSTANTIATE(shfl_up);

// Values move down by `distance` lanes; the last lanes of each segment keep their own.
template <class Probe>
__global__ void __launch_bounds__(1024)
    shfl_down(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size, uint32_t members, uint32_t width,
              uint32_t distance) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t lane = threadIdx.x % 32;
  uint32_t value = elementOrZero(in, i, size);
  if (isMember(members, lane)) {
    log.mark(kPrimitive);
    const bool there = (lane & (width - 1)) + distance < width && isMember(members, lane + distance);
    value = __shfl_down_sync(members, value, there ? distance : 0, static_cast<int>(width));
  } else {
    log.mark(kOutside);
  }
  log.mark(kStore);
  if (i < size) out[i] = value;
}
WARPSCOPE_INSTANTIATE(shfl_down);

// Lanes whose numbers differ in the bits of `distance` swap values. With a width, a lane reads its own
// segment and those before it, but none behind: there it keeps its own.
template <class Probe>
__global__ void __launch_bounds__(1024)
    shfl_xor(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size, uint32_t members, uint32_t width,
             uint32_t distance) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t lane = threadIdx.x % 32;
  uint32_t value = elementOrZero(in, i, size);
  if (isMember(members, lane)) {
    log.mark(kPrimitive);
    const bool there = isMember(members, lane ^ distance);
    value = __shfl_xor_sync(members, value, static_cast<int>(there ? distance : 0), static_cast<int>(width));
  } else {
    log.mark(kOutside);
  }
  log.mark(kStore);
  if (i < size) out[i] = value;
}
WARPSCOPE_INSTANTIATE(shfl_xor);

// 1 where every member's value passes, else 0.
template <class Probe>
__global__ void __launch_bounds__(1024) vote_all(Probe probe, const uint32_t* in, uint32_t* out,
                                                 uint32_t size, uint32_t members, uint32_t pass_percent) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t value = elementOrZero(in, i, size);
  if (isMember(members, threadIdx.x % 32)) {
    log.mark(kPrimitive);
    value = __all_sync(members, value % 100 < pass_percent) != 0 ? 1 : 0;
  } else {
    log.mark(kOutside);
  }
  log.mark(kStore);
  if (i < size) out[i] = value;
}
WARPSCOPE_INSTANTIATE(vote_all);

// 1 where at least one member's value passes, else 0.
template <class Probe>
__global__ void __launch_bounds__(1024) vote_any(Probe probe, const uint32_t* in, uint32_t* out,
                                                 uint32_t size, uint32_t members, uint32_t pass_percent) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t value = elementOrZero(in, i, size);
  if (isMember(members, threadIdx.x % 32)) {
    log.mark(kPrimitive);
    value = __any_sync(members, value % 100 < pass_percent) != 0 ? 1 : 0;
  } else {
    log.mark(kOutside);
  }
  log.mark(kStore);
  if (i < size) out[i] = value;
}
WARPSCOPE_INSTANTIATE(vote_any);

// A bit for each member whose value passes.
template <class Probe>
__global__ void __launch_bounds__(1024) ballot(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size,
                                               uint32_t members, uint32_t pass_percent) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t value = elementOrZero(in, i, size);
  if (isMember(members, threadIdx.x % 32)) {
    log.mark(kPrimitive);
    value = __ballot_sync(members, value % 100 < pass_percent);
  } else {
    log.mark(kOutside);
  }
  log.mark(kStore);
  if (i < size) out[i] = value;
}
WARPSCOPE_INSTANTIATE(ballot);

// A bit for each member whose key equals this lane's.
template <class Probe>
__global__ void __launch_bounds__(1024) match_any(Probe probe, const uint32_t* in, uint32_t* out,
                                                  uint32_t size, uint32_t members, uint32_t keys) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t value = elementOrZero(in, i, size);
  if (isMember(members, threadIdx.x % 32)) {
    log.mark(kPrimitive);
    value = __match_any_sync(members, value % keys);
  } else {
    log.mark(kOutside);
  }
  log.mark(kStore);
  if (i < size) out[i] = value;
}
WARPSCOPE_INSTANTIATE(match_any);

// A bit for each member where all of them hold one key, else 0.
template <class Probe>
__global__ void __launch_bounds__(1024) match_all(Probe probe, const uint32_t* in, uint32_t* out,
                                                  uint32_t size, uint32_t members, uint32_t keys) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t value = elementOrZero(in, i, size);
  if (isMember(members, threadIdx.x % 32)) {
    log.mark(kPrimitive);
    int all_match = 0;
    value = __match_all_sync(members, value % keys, &all_match);
  } else {
    log.mark(kOutside);
  }
  log.mark(kStore);
  if (i < size) out[i] = value;
}
WARPSCOPE_INSTANTIATE(match_all);

// Every lane gets the sum over its segment: in each step all lanes swap with the lane one bit away and add.
template <class Probe>
__global__ void __launch_bounds__(1024)
    butterfly_sum(Probe probe, const uint32_t* in, uint32_t* out, uint32_t size, uint32_t width) {
  auto log = probe.begin();
  log.mark(kLoad);
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t sum = elementOrZero(in, i, size);
  for (uint32_t distance = width / 2; distance > 0; distance /= 2) {
    log.mark(kStep);
    sum += __shfl_xor_sync(0xFFFFFFFFU, sum, static_cast<int>(distance));
  }
  log.mark(kStore);
  if (i < size) out[i] = sum;
}
WARPSCOPE_INSTANTIATE(butterfly_sum);

}  // namespace warpscope
