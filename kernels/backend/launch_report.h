// What a backend that models time knows of its last launch, beyond results. A real GPU tells none of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/core/ids.h"
#include "kernels/run/hazard.h"
#include "kernels/run/lane_log.h"
#include "kernels/run/listing.h"
#include "kernels/run/warp_state.h"

namespace warpscope {

// One issued instruction of a logged block. `cycle` is of the clock that the kernel reads with %clock64.
struct LoggedInstruction {
  uint64_t cycle = 0;
  BlockId block;
  uint32_t warp_in_block = 0;
  uint32_t instruction = 0;  // into LaunchReport::listing
  LaneMask mask;
  WarpState waited_for = WarpState::kSelected;
  uint32_t waited_cycles = 0;
};

struct LaunchReport {
  uint64_t cycles = 0;  // 0: the launch was not timed
  double time_us = 0;
  std::map<std::string, double> counters;  // Nsight Compute's names
  std::vector<LoggedInstruction> log;      // by cycle
  uint64_t log_dropped = 0;
  std::shared_ptr<const Listing> listing;
  std::vector<Hazard> hazards;     // of a checked launch
  std::shared_ptr<LaneLog> lanes;  // where LaunchSpec::lanes asked for it
};

}  // namespace warpscope
