#include "kernels/compare/same_warp.h"

#include <algorithm>
#include <iterator>

namespace warpscope {

std::vector<std::optional<size_t>> sameWarp(const ComparedRuns& runs, const WarpPlace& place) {
  std::vector<std::optional<size_t>> found;
  for (const auto& run : runs) {
    const auto& warps = run->trace.warps;
    const auto warp = std::ranges::find_if(warps, [&](const TraceWarp& candidate) {
      return WarpPlace{candidate.block, candidate.warp_in_block} == place;
    });
    found.push_back(warp == warps.end() ? std::nullopt
                                        : std::optional(static_cast<size_t>(warp - warps.begin())));
  }
  return found;
}

std::vector<WarpPlace> commonWarps(const ComparedRuns& runs) {
  std::vector<WarpPlace> common;
  for (size_t i = 0; i < runs.size(); ++i) {
    std::vector<WarpPlace> places;
    for (const TraceWarp& warp : runs[i]->trace.warps) places.push_back({warp.block, warp.warp_in_block});
    std::ranges::sort(places);
    if (i == 0) {
      common = std::move(places);
      continue;
    }
    std::vector<WarpPlace> both;
    std::ranges::set_intersection(common, places, std::back_inserter(both));
    common = std::move(both);
  }
  return common;
}

}  // namespace warpscope
