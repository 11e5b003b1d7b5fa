// The interpreter's hooks (simt/hooks.h) that write a lane log: addresses of memory instructions, and who
// gave what to whom where lanes look at each other.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/run/lane_log.h"
#include "kernels/sim/simt/hooks.h"

namespace warpscope::sim {

struct LaneHooks : NoHooks {
  static constexpr bool kAccesses = true;
  static constexpr bool kCrossLane = true;

  std::span<LoggedWarp> warps;         // of the block that runs, by index in it; empty: it is not logged
  uint32_t limit_per_warp = 0;         // of requests and exchanges
  const uint64_t* executed = nullptr;  // warp-instructions of the launch: stands for time

  void access(const Warp& warp, const MemoryAccess& access);
  void crossLaneBegins(const Warp& warp, const CrossLane& now);
  void crossLaneDone(const Warp& warp, const CrossLane& now);
  uint64_t clockCycles() const { return *executed; }
  uint64_t globaltimerNs() const { return *executed; }

 private:
  bool takeStep(LoggedWarp& warp, uint32_t& step) const;
  bool exchange_is_open_ = false;  // between Begins and Done, unless it is dropped
};

}  // namespace warpscope::sim
