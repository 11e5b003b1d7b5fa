// Finds the same warp in several runs, so that its lanes can be shown side by side.
#pragma once

#include "kernels/compare/axis.h"

namespace warpscope {

// A warp's position in the grid: the same in all runs, wherever and in whichever order warps ran.
struct WarpPlace {
  BlockId block;
  uint32_t warp_in_block = 0;
  auto operator<=>(const WarpPlace&) const = default;
};

// The warp's index in each run's Trace::warps; nullopt if that run has no such warp, or did not record it.
std::vector<std::optional<size_t>> sameWarp(const ComparedRuns& runs, const WarpPlace& place);

// The warps that all runs recorded, ascending.
std::vector<WarpPlace> commonWarps(const ComparedRuns& runs);

}  // namespace warpscope
