// The states of a resident warp in a cycle: it issues (selected), could issue but its scheduler chose another
// warp, or is stalled for a reason. The states, their names and their meanings are Nsight Compute's ("Kernel
// Profiling Guide", Warp States); which of them can be reported depends on the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

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
  kDrain,
  kTexThrottle,
  kCount,
};
inline constexpr size_t kWarpStates = static_cast<size_t>(WarpState::kCount);

const char* warpStateName(WarpState state);   // Nsight Compute's name: "long_scoreboard"
const char* warpStateTitle(WarpState state);  // "long scoreboard"
// An explanation of the wait for readers who do not know the name: "a load from global or local memory
// (L1TEX)".
const char* warpStateHelp(WarpState state);
// Nsight Compute's counter for the state:
// "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio", in warp-cycles per issued
// instruction.
std::string warpStateCounter(WarpState state);

}  // namespace warpscope
