// Running ahead of the other SMs. Epochs are short, since L2's replies come soon, and the state of all SMs is
// more than the host's caches hold: going from one SM to the next costs more than simulating a few hundred
// cycles. So an SM that has sent nothing to L2 in an epoch, and waits for no reply, goes on beyond the
// epoch's end. It stops before it executes or issues anything that other SMs could see, or that could see
// what they do. Results and counts are the same as without running ahead.
#include <algorithm>

#include "kernels/sim/sm/sm_core.h"

namespace warpscope::sim {

uint64_t SmCore::nextEvent(uint64_t now) const {
  const uint64_t ahead = ahead_.next(now);
  if (ahead != kNever) return ahead;
  uint64_t next = fault_.empty() ? nextStep() : fault_cycle_;
  for (const Partition& partition : partitions_) {
    if (partition.looks_again >= now) next = std::min(next, partition.looks_again);
  }
  return batch_.empty() ? next : std::min(next, epoch_end_);
}

void SmCore::runAhead(uint64_t end) {
  if (!fault_.empty() || !isAlone()) return;
  ahead_.begin(end);
  for (const Partition& partition : partitions_) {
    if (partition.looks_again >= end) ahead_.add(partition.looks_again);
  }
  runs_ahead_ = true;
  stops_ahead_ = false;
  const uint64_t most = end + StepsAhead::kMostCycles;
  ahead_.reach(runUntil(most) ? most : done_until_);
  runs_ahead_ = false;
}

// Whether it has nothing to tell others in this epoch, and no warp of it waits for them.
bool SmCore::isAlone() const {
  return batch_.empty() && in_memory_ == 0 && freed_.empty();
}

// Whether the warp's next group reads or writes what other SMs can, or may end the warp.
bool SmCore::groupReachesOut(const WarpSlot& warp) const {
  if (warp.state == State::kDraining) return true;
  const auto reaches = [&](uint32_t pc) {
    return pc < model_.code.segment_of.size() && model_.segments[model_.code.segment_of[pc]].reaches_out;
  };
  return std::ranges::any_of(warp.warp->paths, [&](const Path& path) { return reaches(path.pc); }) ||
         std::ranges::any_of(warp.warp->joins,
                             [&](const Join& join) { return join.used && reaches(join.pc); });
}

}  // namespace warpscope::sim
