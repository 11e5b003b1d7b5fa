// The same warp of several runs, to put its lanes side by side.
#pragma once

#include "kernels/compare/axis.h"

namespace warpscope {

// Which of the grid: the same in all runs, wherever and in which order they ran.
struct WarpPlace {
  BlockId block;
  uint32_t warp_in_block = 0;
  auto operator<=>(const WarpPlace&) const = default;
};

// Its index into each run's Trace::warps; nullopt: that run has no such warp, or did not record it.
std::vector<std::optional<size_t>> sameWarp(const ComparedRuns& runs, const WarpPlace& place);

// The warps that every run recorded, ascending.
std::vector<WarpPlace> commonWarps(const ComparedRuns& runs);

}  // namespace warpscope
