// Everything that an occupancy calculator answers to one question, computed once when the question changes.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "kernels/occupancy/curves.h"
#include "kernels/occupancy/occupancy.h"
#include "kernels/occupancy/suggestions.h"

namespace warpscope {

struct OccupancyAnswer {
  OccupancyQuestion question;
  std::optional<uint64_t> grid_blocks;
  Occupancy occupancy;
  std::optional<std::string> impossible;  // the reason, if the block cannot run
  std::vector<ResourceBudget> budgets;
  std::array<std::vector<OccupancyPoint>, std::size(kOccupancyAxes)> curves;  // by OccupancyAxis
  std::vector<Suggestion> suggestions;
  std::optional<Waves> waves;

  const std::vector<OccupancyPoint>& curve(OccupancyAxis axis) const {
    return curves[static_cast<size_t>(axis)];
  }
};

OccupancyAnswer answerOccupancy(OccupancyQuestion question, std::optional<uint64_t> grid_blocks);

}  // namespace warpscope
