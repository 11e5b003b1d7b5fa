// Names of warp states in the current language. They have a context because several are common words with
// other meanings elsewhere.
#pragma once

#include "kernels/run/warp_state.h"
#include "viz/text/translate.h"

namespace warpscope {

inline constexpr const char* kStateContext = "warp state";

inline const char* trTitle(WarpState state) {
  return trAs(kStateContext, warpStateTitle(state));
}

}  // namespace warpscope
