// Gathers what a probed launch wrote into what the host copies back: each recorded warp's 32 lane logs and
// exits lie together, without the unused room of the logs. One warp a slot.
//
// Launch: any one-dimensional grid and block (a multiple of 32 threads) with at least max_warps warps,
// `cursor` zeroed before. Afterwards `*cursor` is how many records there were; those past `capacity` are
// counted as dropped.
#include "kernels/probe/layout.h"

namespace warpscope {
namespace {

constexpr uint32_t kAllLanes = 0xFFFFFFFFU;

__device__ uint32_t minimum(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

// Of this lane and those below.
__device__ uint32_t inclusiveSum(uint32_t value, uint32_t lane) {
  for (uint32_t distance = 1; distance < kProbeWarpSize; distance *= 2) {
    const uint32_t lower = __shfl_up_sync(kAllLanes, value, distance);
    if (lane >= distance) value += lower;
  }
  return value;
}

__device__ uint32_t fromLane(uint32_t value, uint32_t lane) {
  return __shfl_sync(kAllLanes, value, lane);
}

__device__ uint64_t warpMaximum(uint64_t value) {
  for (uint32_t distance = kProbeWarpSize / 2; distance > 0; distance /= 2) {
    const uint64_t other = __shfl_xor_sync(kAllLanes, value, distance);
    if (other > value) value = other;
  }
  return value;
}

// Lane logs one after another, each copied by all lanes. `offset` is where the calling lane's log goes in
// `to`, which has room for `room` records.
__device__ void copyLogs(const ProbeParams& params, uint32_t slot, uint32_t lane, uint32_t kept,
                         uint32_t offset, ProbeRecord* to, uint32_t room) {
  for (uint32_t pending = __ballot_sync(kAllLanes, kept > 0); pending != 0; pending &= pending - 1) {
    const uint32_t owner = __ffs(static_cast<int>(pending)) - 1;
    const uint32_t count = fromLane(kept, owner);
    const uint32_t start = fromLane(offset, owner);
    const uint64_t log_index = static_cast<uint64_t>(slot) * kProbeWarpSize + owner;
    const ProbeRecord* log = params.records + log_index * params.records_per_lane;
    for (uint32_t i = lane; i < count && start + i < room; i += kProbeWarpSize) to[start + i] = log[i];
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(1024)
    probe_pack(ProbeParams params, ProbePackedWarp* packed, ProbeRecord* packed_records, uint32_t* cursor,
               uint32_t capacity) {
  const uint32_t slot = (blockIdx.x * blockDim.x + threadIdx.x) / kProbeWarpSize;
  const uint32_t lane = threadIdx.x % kProbeWarpSize;
  if (slot >= minimum(*params.warps_seen, params.max_warps)) return;  // whole warps only

  const ProbeLaneTail tail = params.tails[static_cast<uint64_t>(slot) * kProbeWarpSize + lane];
  const uint32_t kept = minimum(tail.written, params.records_per_lane);
  const bool left = tail.exit_mask != 0;
  const uint32_t end = inclusiveSum(kept + (left ? 1U : 0U), lane);
  const uint32_t offset = end - kept - (left ? 1U : 0U);
  const uint32_t total = fromLane(end, kProbeWarpSize - 1);
  const uint32_t overflowed = fromLane(inclusiveSum(tail.written - kept, lane), kProbeWarpSize - 1);

  uint32_t first = 0;
  if (lane == 0) first = atomicAdd(cursor, total);
  first = minimum(fromLane(first, 0), capacity);
  const uint32_t room = minimum(total, capacity - first);

  copyLogs(params, slot, lane, kept, offset, packed_records + first, room);
  if (left && offset + kept < room) {
    const uint32_t clock = (static_cast<uint32_t>(tail.exit_clock) >> params.clock_shift) & 0xFFFFFFU;
    packed_records[first + offset + kept] = {clock | kProbeExitRegion << kProbeClockBits, tail.exit_mask};
  }

  const uint64_t end_clock = warpMaximum(left ? tail.exit_clock : 0);
  const uint64_t end_globaltimer_ns = warpMaximum(left ? tail.exit_globaltimer_ns : 0);
  if (lane != 0) return;
  ProbePackedWarp& warp = packed[slot];
  warp.header = params.headers[slot];
  warp.end_clock = end_clock;
  warp.end_globaltimer_ns = end_globaltimer_ns;
  warp.first_record = first;
  warp.record_count = room;
  warp.dropped = overflowed + (total - room);
  warp.reserved = 0;
}

}  // namespace warpscope
