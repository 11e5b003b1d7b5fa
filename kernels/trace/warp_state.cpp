#include "kernels/trace/warp_state.h"

namespace warpscope {

const char* warpStateName(WarpState state) {
  switch (state) {
    case WarpState::kSelected:
      return "selected";
    case WarpState::kNotSelected:
      return "not_selected";
    case WarpState::kLongScoreboard:
      return "long_scoreboard";
    case WarpState::kShortScoreboard:
      return "short_scoreboard";
    case WarpState::kWait:
      return "wait";
    case WarpState::kBarrier:
      return "barrier";
    case WarpState::kMembar:
      return "membar";
    case WarpState::kMathPipeThrottle:
      return "math_pipe_throttle";
    case WarpState::kLgThrottle:
      return "lg_throttle";
    case WarpState::kMioThrottle:
      return "mio_throttle";
    case WarpState::kBranchResolve:
      return "branch_resolving";
    case WarpState::kNoInstruction:
      return "no_instruction";
    case WarpState::kDispatch:
      return "dispatch_stall";
    case WarpState::kSleeping:
      return "sleeping";
    case WarpState::kImcMiss:
      return "imc_miss";
    case WarpState::kCount:
      break;
  }
  return "unknown";
}

}  // namespace warpscope
