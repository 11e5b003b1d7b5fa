// Barriers of a block: when the warps that wait at one go on.
#include <algorithm>
#include <utility>

#include "kernels/sim/sm/sm_core.h"

namespace warpscope::sim {

// A barrier's last arrival was executed. In time, it is complete when all warps that take part have issued
// it.
void SmCore::barrierCompleted(uint32_t slot, uint64_t cycle) {
  WarpSlot& completer = slots_[slot];
  ResidentBlock& resident = blocks_[completer.block];
  auto free = std::find_if(resident.barriers.begin(), resident.barriers.end(),
                           [](const BarrierGroup& group) { return !group.used; });
  if (free == resident.barriers.end()) free = resident.barriers.emplace(resident.barriers.end());
  const auto index = static_cast<uint32_t>(free - resident.barriers.begin());
  *free = {.to_issue = 0, .used = true};
  const auto join = [&](WarpSlot& warp) {
    if (warp.barrier_group != kNoGroup) return;
    const bool issued = warp.state == State::kAtBarrier;
    if (!issued && !warp.at_barrier_instruction) return;
    warp.barrier_group = index;
    free->to_issue += issued ? 0 : 1;
  };
  std::vector<uint32_t>& released = completer.executing->released();
  for (const uint32_t member : released) {
    if (member < resident.slots.size()) join(slots_[resident.slots[member]]);
  }
  released.clear();
  if (completer.at_barrier_instruction) join(completer);
  if (free->to_issue == 0) releaseBarrier(resident, index, cycle);
}

void SmCore::barrierIssued(uint32_t slot, uint64_t cycle) {
  WarpSlot& warp = slots_[slot];
  warp.state = State::kAtBarrier;
  warp.reason = WarpState::kBarrier;
  sleep(warp);
  if (warp.barrier_group == kNoGroup) return;
  ResidentBlock& resident = blocks_[warp.block];
  if (--resident.barriers[warp.barrier_group].to_issue == 0) {
    releaseBarrier(resident, warp.barrier_group, cycle);
  }
}

void SmCore::releaseBarrier(ResidentBlock& resident, uint32_t group, uint64_t cycle) {
  resident.barriers[group].used = false;
  // The slot of a warp that has ended may have a warp of another block by now, with groups of its own.
  const auto block = static_cast<uint32_t>(&resident - blocks_.data());
  const auto takes_part = [&](const WarpSlot& warp) {
    return warp.block == block && warp.barrier_group == group;
  };
  // Arrivals are processed one after another.
  arrivals_.clear();
  for (const uint32_t slot : resident.slots) {
    if (takes_part(slots_[slot])) arrivals_.push_back(slots_[slot].issued);
  }
  std::sort(arrivals_.begin(), arrivals_.end());
  double taken = 0;
  for (const uint64_t arrival : arrivals_) {
    taken = std::max(taken, static_cast<double>(arrival)) + model_.profile.barrier_warp_cycles;
  }
  const uint64_t released =
      std::max(cycle, static_cast<uint64_t>(taken) + model_.profile.barrier_latency_cycles);
  for (const uint32_t slot : resident.slots) {
    WarpSlot& warp = slots_[slot];
    if (!takes_part(warp)) continue;
    warp.barrier_group = kNoGroup;
    if (warp.state == State::kAtBarrier) {
      resumeAt(slot, released, WarpState::kBarrier);
    }
  }
}

}  // namespace warpscope::sim
