// Names of warp states in the language of now: several are common words with another meaning elsewhere.
#pragma once

#include "kernels/run/warp_state.h"
#include "viz/text/translate.h"

namespace warpscope {

inline constexpr const char* kStateContext = "warp state";

inline const char* trTitle(WarpState state) {
  return trAs(kStateContext, warpStateTitle(state));
}

}  // namespace warpscope
