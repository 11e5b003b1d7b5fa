// The interpreter's hooks (simt/hooks.h) that write a lane log: the addresses of memory instructions, and
// which lane gave which value to which lane in shuffles, votes and other warp-level exchanges. The log
// belongs to the caller, who points `warps` at it before a block runs.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/run/lane_log.h"
#include "kernels/sim/simt/hooks.h"

namespace warpscope::sim {

struct LaneHooks : NoHooks {
  static constexpr bool kAccesses = true;
  static constexpr bool kCrossLane = true;

  std::span<LoggedWarp>
      warps;  // warps of the running block, by index in the block; empty when it is not logged
  uint32_t limit_per_warp =
      0;  // most requests and exchanges kept per warp; later ones are counted as dropped
  const uint64_t* executed = nullptr;  // warp-instructions of the launch so far; stands in for time

  void access(const Warp& warp, const MemoryAccess& access);
  void crossLaneBegins(const Warp& warp, const CrossLane& now);
  void crossLaneDone(const Warp& warp, const CrossLane& now);
  uint64_t clockCycles() const { return *executed; }
  uint64_t globaltimerNs() const { return *executed; }

 private:
  bool takeStep(LoggedWarp& warp, uint32_t& step) const;
  bool exchange_is_open_ =
      false;  // between crossLaneBegins and crossLaneDone, unless the exchange was dropped
};

}  // namespace warpscope::sim
