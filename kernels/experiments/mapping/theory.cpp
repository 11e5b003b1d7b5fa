// The mapping family: what theory predicts.
#include <algorithm>

#include "kernels/core/ids.h"
#include "kernels/experiments/family_parts.h"

namespace warpscope::mapping {
namespace {

// The last warp of block 0, which is always recorded.
const TraceWarp* lastWarp(const Run& run) {
  const TraceWarp* last = nullptr;
  for (const TraceWarp& warp : run.trace.warps) {
    if (warp.block.value == 0 && (last == nullptr || warp.warp_in_block > last->warp_in_block)) last = &warp;
  }
  return last;
}

}  // namespace

std::vector<Prediction> theory(const RunRequest& request) {
  int64_t threads = 1;
  for (const char* side : {"block_x", "block_y", "block_z"}) {
    const auto found = request.parameters.find(side);
    if (found != request.parameters.end()) threads *= found->second;
  }
  const int64_t warps = (threads + kWarpSize - 1) / kWarpSize;
  return {{.label = "Warps a block",
           .unit = "warps",
           .reason = "x * y * z threads, 32 a warp, rounded up",
           .predicted = static_cast<double>(warps),
           .measure = [](const Run& run) -> std::optional<double> {
             const TraceWarp* last = lastWarp(run);
             return last == nullptr ? std::nullopt : std::optional<double>(last->warp_in_block + 1);
           }},
          {.label = "Lanes of the last warp that never live",
           .unit = "lanes",
           .reason = "what is missing to the next multiple of 32",
           .predicted = static_cast<double>(warps * kWarpSize - threads),
           .measure = [](const Run& run) -> std::optional<double> {
             const TraceWarp* last = lastWarp(run);
             return last == nullptr ? std::nullopt : std::optional<double>(kWarpSize - last->live.count());
           }}};
}

}  // namespace warpscope::mapping
