#include "kernels/occupancy/answer.h"

#include <utility>

namespace warpscope {

OccupancyAnswer answerOccupancy(OccupancyQuestion question, std::optional<uint64_t> grid_blocks) {
  OccupancyAnswer answer;
  answer.question = question;
  answer.grid_blocks = grid_blocks;
  answer.occupancy = theoreticalOccupancy(answer.question);
  answer.impossible = whyImpossible(answer.question);
  answer.budgets = resourceBudgets(answer.question);
  for (const OccupancyAxis axis : kOccupancyAxes) {
    answer.curves[static_cast<size_t>(axis)] = occupancyCurve(answer.question, axis);
  }
  answer.suggestions = suggestions(answer.question, grid_blocks);
  if (grid_blocks) {
    answer.waves = wavesOf(*grid_blocks, answer.occupancy, answer.question.limits.sm_count);
  }
  return answer;
}

}  // namespace warpscope
