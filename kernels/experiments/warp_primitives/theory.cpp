// The warp primitives family: what theory predicts.
#include <bit>

#include "kernels/core/ids.h"
#include "kernels/experiments/family_parts.h"
#include "kernels/experiments/warp_primitives/regions.h"

namespace warpscope::warp_primitives {

std::vector<Prediction> theory(const RunRequest& request) {
  const auto choice = [&](const char* name) { return static_cast<size_t>(request.parameters.at(name)); };
  if (request.variant == "butterfly_sum") {
    return {{.label = "Steps a warp takes",
             .unit = "steps",
             .reason = "each step doubles the lanes that know each other's sum: log2(width)",
             .predicted = static_cast<double>(std::countr_zero(kWidths[choice("width")])),
             .measure = spansAWarp(RegionId{kStep})}};
  }
  return {{.label = "Lanes that take part",
           .unit = "lanes",
           .reason = "those that the mask names, and no others",
           .predicted = static_cast<double>(std::popcount(kMembers[choice("members")])),
           .measure = lanesASpan(RegionId{kPrimitive})}};
}

}  // namespace warpscope::warp_primitives
