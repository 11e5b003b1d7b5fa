#include "app/cli/run_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "app/cli/counter_table.h"
#include "app/cli/table.h"
#include "kernels/core/units.h"
#include "kernels/experiments/prediction.h"
#include "kernels/export/run_text.h"
#include "kernels/metrics/metrics.h"
#include "kernels/metrics/precision.h"
#include "kernels/occupancy/occupancy.h"

namespace warpscope {
namespace {

// Parameters that are the same in all runs go into the heading, the others get a column.
struct ParameterColumns {
  std::string common;
  std::vector<std::string> varying;
};

ParameterColumns parameterColumns(std::span<const Run> runs) {
  std::map<std::string, std::set<std::string>> texts;
  for (const Run& run : runs) {
    for (const auto& [name, value] : run.request.parameters) texts[name].insert(parameterText(run, name));
  }
  ParameterColumns columns;
  for (const auto& [name, values] : texts) {
    if (values.size() > 1) {
      columns.varying.push_back(name);
    } else {
      columns.common += fmt::format("{}{} {}", columns.common.empty() ? "" : ", ", name, *values.begin());
    }
  }
  return columns;
}

std::string bandwidthText(const Run& run) {
  return formatGbPerS(run.bandwidth.gb_per_s);
}

std::string copyShareText(const Run& run) {
  const auto& copy = run.bandwidth.copy_gb_per_s;
  return copy && *copy > 0 ? formatPercent(run.bandwidth.gb_per_s / *copy) : "";
}

std::string resultText(const Run& run) {
  const std::string result = run.verification.passed ? "verified" : "WRONG";
  if (!run.hazards || run.hazards->empty()) return result;
  return fmt::format("{}, {} hazard{}", result, run.hazards->size(), run.hazards->size() == 1 ? "" : "s");
}

std::string shareText(const std::optional<double>& share) {
  return share ? formatPercent(*share) : "";
}

bool anyFloats(std::span<const Run> runs) {
  return std::ranges::any_of(runs, [](const Run& run) { return run.verification.precision.has_value(); });
}

// What each sum of floats is off by, and what the plain loop is off by.
std::string precisionTable(std::span<const Run> runs) {
  Table table({{"precision"},
               {"sum", Align::kRight},
               {"float64", Align::kRight},
               {"off by", Align::kRight},
               {"one float loop", Align::kRight},
               {"off by", Align::kRight}});
  for (const Run& run : runs) {
    if (!run.verification.precision) continue;
    const Precision& precision = *run.verification.precision;
    const auto off = [&](double sum) {
      return fmt::format("{:.3g} ulp", errorInUlps(sum, precision.reference));
    };
    table.addRow({run.request.variant, fmt::format("{:.9g}", precision.sum),
                  fmt::format("{:.9g}", precision.reference), off(precision.sum),
                  fmt::format("{:.9g}", precision.sequential), off(precision.sequential)});
  }
  return table.text();
}

std::string libraryText(std::span<const Run> runs) {
  for (const Run& run : runs) {
    if (const auto& library = run.bandwidth.library) {
      return fmt::format("{} reaches {}\n", library->name, formatGbPerS(library->gb_per_s));
    }
  }
  return "";
}

std::string eventsText(const Run& run) {
  const std::string kept = formatCount(static_cast<int64_t>(run.probe.kept));
  return run.probe.dropped == 0
             ? kept
             : fmt::format("{} ({} lost)", kept, formatCount(static_cast<int64_t>(run.probe.dropped)));
}

}  // namespace

std::string runTable(std::span<const Run> runs) {
  if (runs.empty()) return "";
  const Run& first = runs.front();
  const ParameterColumns parameters = parameterColumns(runs);
  std::vector<Column> columns{{first.request.family}};
  for (const std::string& name : parameters.varying) columns.push_back({name, Align::kRight});
  for (const char* title :
       {"result", "median ± half range", "bandwidth", "of copy", "regs", "shared", "occupancy"}) {
    columns.push_back({title, Align::kRight});
  }
  columns.push_back({"limited by"});
  columns.push_back({"lanes lost", Align::kRight});
  columns.push_back({"branch efficiency", Align::kRight});
  columns.push_back({"probe cost", Align::kRight});
  columns.push_back({"events", Align::kRight});

  Table table(std::move(columns));
  for (const Run& run : runs) {
    std::vector<std::string> cells{run.request.variant};
    for (const std::string& name : parameters.varying) cells.push_back(parameterText(run, name));
    cells.insert(
        cells.end(),
        {resultText(run), formatUsWithSpread(run.timing.median_us, run.timing.min_us, run.timing.max_us),
         bandwidthText(run), copyShareText(run), fmt::format("{}", run.resources.registers_per_thread),
         formatBytes(run.resources.static_shared_bytes + run.resources.dynamic_shared_bytes),
         formatPercent(run.occupancy.theoretical), limiterName(run.occupancy.limiter),
         shareText(lostLaneShare(run.trace)), shareText(branchEfficiency(run)),
         fmt::format("{:.2f}x", run.probe.ratio), eventsText(run)});
    table.addRow(std::move(cells));
  }
  return fmt::format("{} on {} ({}, {}): {}{}median of {} {}\n{}{}{}", first.request.family,
                     first.device.name, first.device.id, provenanceName(first.device.provenance),
                     parameters.common, parameters.common.empty() ? "" : "; ", first.timing.repeats,
                     first.timing.repeats == 1 ? "launch" : "launches", table.text(), libraryText(runs),
                     anyFloats(runs) ? "\n" + precisionTable(runs) : "");
}

std::string hazardTexts(const Run& run) {
  std::string texts;
  for (const Hazard& hazard : run.hazards.value_or(std::vector<Hazard>{})) {
    texts += fmt::format("\n{}: {}", run.request.variant, formatHazard(hazard));
  }
  return texts;
}

std::string regionTable(const Run& run) {
  Table table({{"  region"},
               {"line", Align::kRight},
               {"time", Align::kRight},
               {"spans", Align::kRight},
               {"divergent", Align::kRight},
               {"warp-cycles", Align::kRight},
               {"active lanes", Align::kRight},
               {"lost lane-cycles", Align::kRight}});
  for (const RegionMetrics& region : regionMetrics(run)) {
    table.addRow({"  " + region.name, fmt::format("{}", region.line), formatPercent(region.share),
                  formatCount(static_cast<int64_t>(region.spans)),
                  formatCount(static_cast<int64_t>(region.divergent_spans)), formatCount(region.cycles),
                  fmt::format("{:.1f}", region.mean_active_lanes), formatCount(region.lost_lane_cycles)});
  }
  return table.text();
}

std::string theoryTable(const Run& run) {
  Table table({{"  theory"}, {"predicted", Align::kRight}, {"found", Align::kRight}, {"unit"}, {"because"}});
  for (const PredictionResult& result : predictionResults(run)) {
    const std::string found = result.measured
                                  ? formatSignificant(*result.measured) + (result.fulfilled() ? "" : " (!)")
                                  : "not told";
    table.addRow(
        {"  " + result.label, formatSignificant(result.predicted), found, result.unit, result.reason});
  }
  return table.text();
}

std::string counterTable(const Run& run) {
  if (run.counters.empty()) return fmt::format("  {} tells no counters\n", run.device.name);
  return fmt::format("  {}\n{}", provenanceName(run.device.provenance), counterTable(run.counters));
}

}  // namespace warpscope
