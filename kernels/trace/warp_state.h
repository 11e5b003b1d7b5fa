// What a warp was doing in a cycle: issuing, able to, or stalled for a reason, as Nsight Compute's warp states name
// them (smsp__average_warps_issue_stalled_NAME_per_issue_active).
#pragma once

#include <cstdint>

namespace warpscope {

enum class WarpState : uint8_t {
  kSelected,
  kNotSelected,
  kLongScoreboard,
  kShortScoreboard,
  kWait,
  kBarrier,
  kMembar,
  kMathPipeThrottle,
  kLgThrottle,
  kMioThrottle,
  kBranchResolve,
  kNoInstruction,
  kDispatch,
  kSleeping,
  kImcMiss,
  kCount,
};

const char* warpStateName(WarpState state);  // "long_scoreboard"

}  // namespace warpscope
