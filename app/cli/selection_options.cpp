#include "app/cli/selection_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/table.h"
#include "kernels/core/json.h"
#include "kernels/core/units.h"
#include "kernels/export/selection_report.h"

namespace warpscope {
namespace {

std::string rounded(double value) {
  return formatSignificant(value, 4);
}

std::string selectedWarps(const std::vector<SelectionMetrics::Warp>& warps) {
  std::string text;
  for (const SelectionMetrics::Warp& warp : warps) {
    text += fmt::format("{}b{} w{} {}", text.empty() ? "" : ", ", warp.block.value, warp.warp_in_block,
                        formatCount(warp.life_cycles));
  }
  return text;
}

std::string selectedRegionTable(const SelectionMetrics& metrics) {
  Table table({{"  region"},
               {"share", Align::kRight},
               {"spans", Align::kRight},
               {"cut", Align::kRight},
               {"mean", Align::kRight},
               {"median", Align::kRight},
               {"p95", Align::kRight},
               {"longest", Align::kRight},
               {"cycles", Align::kRight},
               {"active lanes", Align::kRight},
               {"lost lane-cycles", Align::kRight}});
  for (const SelectionMetrics::Region& region : metrics.regions) {
    const Distribution& cycles = region.cycles;
    if (cycles.count == 0) continue;
    table.addRow({"  " + region.name, formatPercent(region.share),
                  formatCount(static_cast<int64_t>(cycles.count)),
                  formatCount(static_cast<int64_t>(region.cut_spans)), rounded(cycles.mean()),
                  formatCount(cycles.median), formatCount(cycles.p95), formatCount(cycles.most),
                  formatCount(cycles.sum), cycles.sum > 0 ? rounded(region.mean_active_lanes) : "",
                  formatCount(region.lost_lane_cycles)});
  }
  return table.text();
}

std::string selectedStalls(const IssueMetrics& issues) {
  std::string text =
      fmt::format("  {} instructions issued with {} lanes on average",
                  formatCount(static_cast<int64_t>(issues.issued)), rounded(issues.meanLanes()));
  std::vector<size_t> states;
  for (size_t i = 0; i < kWarpStates; ++i) {
    if (issues.stalled[i] > 0) states.push_back(i);
  }
  std::ranges::stable_sort(states, std::greater<>(), [&](size_t i) { return issues.stalled[i]; });
  if (!states.empty()) text += fmt::format("; {} waited", formatCycles(issues.stall_cycles));
  for (const size_t i : states) {
    const double share = static_cast<double>(issues.stalled[i]) / static_cast<double>(issues.stall_cycles);
    text += fmt::format("{} {} {}", i == states.front() ? ":" : ",",
                        warpStateTitle(static_cast<WarpState>(i)), formatPercent(share));
  }
  return text + "\n";
}

}  // namespace

Option addSelectOption(Command command, std::string& text, const std::string& help) {
  return command.option("--select", text, help + ": " + kSelectHelp);
}

Expected<std::optional<TraceSelection>> selectionOf(const std::string& text) {
  if (text.empty()) return std::nullopt;
  auto selection = parseSelection(text);
  if (!selection) return fail(ErrorKind::kBadRequest, "--select: {}", selection.error().message);
  return std::move(*selection);
}

std::string selectionTables(const Run& run, const TraceSelection& selection) {
  const SelectionMetrics metrics = selectionMetrics(run, selection);
  const std::string name = fmt::format("  selected {}", selectionText(selection));
  if (metrics.warps == 0) {
    return fmt::format("{}: no recorded warp is there; {} warps are recorded over {}\n", name,
                       formatCount(static_cast<int64_t>(run.trace.warps.size())),
                       formatCycles(run.trace.duration_cycles));
  }
  std::string text = fmt::format(
      "{}: {} warps of {} blocks on {} SMs, {}{}\n", name, formatCount(static_cast<int64_t>(metrics.warps)),
      formatCount(static_cast<int64_t>(metrics.blocks)), metrics.sms, formatCycles(metrics.duration_cycles),
      metrics.duration_ns ? fmt::format(" ({})", formatNs(*metrics.duration_ns)) : "");
  text += selectedRegionTable(metrics);
  const auto lost = metrics.lostShare();
  text += fmt::format(
      "  {} lane-cycles lost{}: {} waiting, {} exited; {} executing\n", formatCount(metrics.lanes.lost()),
      lost ? fmt::format(" ({})", formatPercent(*lost)) : "", formatCount(metrics.lanes.waiting),
      formatCount(metrics.lanes.exited), formatCount(metrics.lanes.executing));
  const Distribution& life = metrics.life_cycles;
  text += fmt::format("  these warps lived {} to {} cycles, median {}, p95 {}\n", formatCount(life.least),
                      formatCount(life.most), formatCount(life.median), formatCount(life.p95));
  text += fmt::format("  slowest: {}\n  fastest: {}\n", selectedWarps(metrics.slowest),
                      selectedWarps(metrics.fastest));
  if (metrics.issues) text += selectedStalls(*metrics.issues);
  return text;
}

void addSelections(Json& reports, std::span<const Run> runs, const TraceSelection& selection) {
  for (size_t i = 0; i < std::min(runs.size(), reports.size()); ++i)
    reports[i]["selection"] = selectionReport(selection, selectionMetrics(runs[i], selection));
}

}  // namespace warpscope
