#include <algorithm>
#include <cmath>

#include "app/cli/reports.h"
#include "app/cli/table.h"
#include "kernels/core/ids.h"
#include "kernels/core/json.h"
#include "kernels/core/units.h"
#include "kernels/occupancy/occupancy.h"
#include "kernels/occupancy/suggestions.h"

namespace warpscope {
namespace {

std::string count(uint64_t number) {
  return formatCount(static_cast<int64_t>(number));
}

// The keys that a single answer and each entry of a sweep have in common.
Json pointReport(const OccupancyQuestion& question) {
  const Occupancy occupancy = theoreticalOccupancy(question);
  return {{"block", question.block_threads},
          {"registers", question.resources.registers_per_thread},
          {"shared_bytes", axisValue(question, OccupancyAxis::kShared)},
          {"blocks_per_sm", occupancy.blocks_per_sm},
          {"warps_per_sm", occupancy.warps_per_sm},
          {"threads_per_sm", occupancy.blocks_per_sm * question.block_threads},
          {"max_warps_per_sm", occupancy.max_warps_per_sm},
          {"occupancy", occupancy.theoretical},
          {"limiter", limiterName(occupancy.limiter)}};
}

Json budgetReport(const ResourceBudget& budget) {
  return {{"resource", limiterName(budget.resource)},
          {"capacity", budget.capacity},
          {"asked_per_block", budget.asked},
          {"per_block", budget.per_block},
          {"used", budget.used},
          {"left", budget.left},
          {"blocks", budget.blocks},
          {"missing_for_one_more", budget.missing},
          {"fragmented", budget.fragmented}};
}

Json suggestionReport(const Suggestion& suggestion) {
  Json report = {{"text", suggestion.text}, {"reason", suggestion.reason}};
  if (suggestion.block_threads) report["block"] = *suggestion.block_threads;
  if (suggestion.registers) report["registers"] = *suggestion.registers;
  if (suggestion.shared_bytes) report["shared_bytes"] = *suggestion.shared_bytes;
  if (suggestion.occupancy) report["occupancy"] = *suggestion.occupancy;
  return report;
}

std::optional<Waves> wavesOf(const OccupancyCase& answer) {
  if (!answer.grid_blocks) return std::nullopt;
  return wavesOf(*answer.grid_blocks, theoreticalOccupancy(answer.question), answer.question.limits.sm_count);
}

std::string budgetTable(const OccupancyCase& answer, const Occupancy& occupancy) {
  Table table({{"of an SM"},
               {"has", Align::kRight},
               {"a block takes", Align::kRight},
               {"used", Align::kRight},
               {"left", Align::kRight},
               {"missing for one more", Align::kRight},
               {"blocks by it alone", Align::kRight},
               {""}});
  for (const ResourceBudget& budget : resourceBudgets(answer.question)) {
    const bool limits = budget.resource == occupancy.limiter;
    const std::string missing = budget.fragmented     ? "in pieces"
                                : budget.missing == 0 ? ""
                                                      : count(budget.missing);
    table.addRow({std::string(limiterName(budget.resource)) +
                      (budget.resource == OccupancyLimiter::kSharedMemory ? " (B)" : ""),
                  count(budget.capacity), count(budget.per_block), count(budget.used), count(budget.left),
                  missing, count(budget.blocks), limits ? "<- the limit" : ""});
  }
  return table.text();
}

}  // namespace

Json occupancyReport(const OccupancyCase& answer) {
  Json report = pointReport(answer.question);
  report["device"] = answer.device.name;
  const ComputeCapability capability = answer.question.limits.compute_capability;
  report["compute_capability"] = fmt::format("{}.{}", capability.major, capability.minor);
  if (!answer.kernel.empty()) report["kernel"] = answer.kernel;
  if (const auto why = whyImpossible(answer.question)) report["impossible"] = *why;
  Json& budgets = report["budgets"] = Json::array();
  for (const ResourceBudget& budget : resourceBudgets(answer.question))
    budgets.push_back(budgetReport(budget));
  if (const auto waves = wavesOf(answer)) {
    report["waves"] = {{"grid", waves->blocks},
                       {"blocks_per_wave", waves->blocks_per_wave},
                       {"waves", waves->waves},
                       {"tail_blocks", waves->tail_blocks}};
  }
  Json& all = report["suggestions"] = Json::array();
  for (const Suggestion& suggestion : suggestions(answer.question, answer.grid_blocks)) {
    all.push_back(suggestionReport(suggestion));
  }
  return report;
}

Json sweepReport(const OccupancyCase& answer, OccupancyAxis axis) {
  Json points = Json::array();
  for (const OccupancyPoint& point : occupancyCurve(answer.question, axis)) {
    points.push_back(pointReport(withAxisValue(answer.question, axis, point.value)));
  }
  return points;
}

std::string occupancyText(const OccupancyCase& answer) {
  const OccupancyQuestion& question = answer.question;
  const Occupancy occupancy = theoreticalOccupancy(question);
  std::string text = answer.device.name + "\n";
  if (!answer.kernel.empty()) text += answer.kernel + "\n";
  text += fmt::format("blocks of {} threads, {} registers a thread, {} B of shared memory a block{}\n\n",
                      question.block_threads, question.resources.registers_per_thread,
                      count(axisValue(question, OccupancyAxis::kShared)),
                      question.resources.barriers_per_block == 0
                          ? ""
                          : fmt::format(", {} barriers", question.resources.barriers_per_block));
  if (occupancy.blocks_per_sm > 0) {
    text += fmt::format("occupancy {}: {} blocks, {} of {} warps, {} threads an SM; limited by {}\n\n{}\n",
                        formatPercent(occupancy.theoretical), occupancy.blocks_per_sm, occupancy.warps_per_sm,
                        occupancy.max_warps_per_sm,
                        count(uint64_t{occupancy.blocks_per_sm} * question.block_threads),
                        limiterName(occupancy.limiter), budgetTable(answer, occupancy));
  }
  if (const auto waves = wavesOf(answer)) {
    text += fmt::format("a grid of {} blocks: {} waves of {}\n", count(waves->blocks),
                        formatSignificant(waves->waves, 3), count(waves->blocks_per_wave));
  }
  for (const Suggestion& suggestion : suggestions(question, answer.grid_blocks)) {
    text += fmt::format("* {}\n  ({})\n", suggestion.text, suggestion.reason);
  }
  return text;
}

std::string sweepTable(const OccupancyCase& answer, OccupancyAxis axis) {
  Table table({{fmt::format("{} ({})", axisName(axis), axisUnit(axis)), Align::kRight},
               {"blocks/SM", Align::kRight},
               {"warps/SM", Align::kRight},
               {"occupancy", Align::kRight},
               {""},
               {"limiter"}});
  const auto curve = occupancyCurve(answer.question, axis);
  for (size_t i = 0; i < curve.size(); ++i) {
    const Occupancy& occupancy = curve[i].occupancy;
    // Shared memory has hundreds of units; only those at which something changes are shown.
    const bool same = i > 0 && i + 1 < curve.size() &&
                      curve[i - 1].occupancy.blocks_per_sm == occupancy.blocks_per_sm &&
                      curve[i + 1].occupancy.blocks_per_sm == occupancy.blocks_per_sm;
    if (axis == OccupancyAxis::kShared && same) continue;
    const auto bar = static_cast<size_t>(std::lround(occupancy.theoretical * 20));
    table.addRow({count(curve[i].value), count(occupancy.blocks_per_sm), count(occupancy.warps_per_sm),
                  formatPercent(occupancy.theoretical), std::string(bar, '#'),
                  limiterName(occupancy.limiter)});
  }
  return fmt::format("{}\n{}", answer.device.name, table.text());
}

}  // namespace warpscope
