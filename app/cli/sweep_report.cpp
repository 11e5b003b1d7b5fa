#include <fmt/format.h>

#include <algorithm>

#include "app/cli/reports.h"
#include "app/cli/table.h"
#include "kernels/core/json.h"
#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/export/tables.h"

namespace warpscope {
namespace {

// All parameters that a point has, in the order of the family's sliders; `only_varying`: without those that
// are the same in all points that have them.
std::vector<const ParameterSpec*> parameterColumns(const SweepGrid& grid, bool only_varying) {
  std::vector<const ParameterSpec*> columns;
  if (grid.points.empty()) return columns;
  const auto experiment = findExperiment(grid.points.front().request.family);
  if (!experiment) return columns;
  for (const ParameterSpec& spec : (*experiment)->info().parameters) {
    std::vector<int64_t> values;
    for (const SweepPoint& point : grid.points) {
      const auto value = point.request.parameters.find(spec.name);
      if (value != point.request.parameters.end()) values.push_back(value->second);
    }
    const bool varies = std::ranges::adjacent_find(values, std::not_equal_to{}) != values.end();
    if (!values.empty() && (varies || !only_varying)) columns.push_back(&spec);
  }
  return columns;
}

std::string valueText(const ParameterSpec& spec, const RunRequest& request, bool as_number) {
  const auto value = request.parameters.find(spec.name);
  if (value == request.parameters.end()) return "";
  return as_number && spec.kind != ParameterKind::kChoice ? fmt::to_string(value->second)
                                                          : formatParameter(spec, value->second);
}

const DeviceDescription& deviceOf(const SweepGrid& grid, const PointResult& result) {
  return result.state == StoredPoint::State::kDone
             ? result.device
             : grid.devices[grid.points[result.point].device].description;
}

std::string stateText(const PointResult& result) {
  if (result.state == StoredPoint::State::kMissing) return result.elsewhere ? "run elsewhere" : "not run";
  std::string text = stateName(result.state);
  if (result.state == StoredPoint::State::kDone && !result.verification.passed) {
    text += fmt::format(", {}", verificationWord(result.verification));
  }
  if (const size_t hazards = result.hazards.value_or(0); hazards > 0) {
    text += fmt::format(", {} hazard{}", hazards, hazards == 1 ? "" : "s");
  }
  return text;
}

std::string csvRow(const std::vector<std::string>& cells) {
  std::string row;
  for (const std::string& cell : cells)
    row += (row.empty() && &cell == cells.data() ? "" : ",") + csvField(cell);
  return row + "\r\n";
}

}  // namespace

std::string sweepTable(const SweepGrid& grid, const SweepResult& result) {
  const auto parameters = parameterColumns(grid, true);
  std::vector<Column> columns{{"variant"}};
  for (const ParameterSpec* spec : parameters) columns.push_back({spec->name, Align::kRight});
  if (grid.devices.size() > 1) columns.push_back({"device"});
  columns.push_back({"state"});
  for (const char* title : {"launch", "min to max", "bandwidth", "of copy"})
    columns.push_back({title, Align::kRight});
  Table table(std::move(columns));
  for (const PointResult& point : result.points) {
    const RunRequest& request = grid.points[point.point].request;
    std::vector<std::string> cells{variantLabel(request.family, request.variant)};
    for (const ParameterSpec* spec : parameters) cells.push_back(valueText(*spec, request, false));
    if (grid.devices.size() > 1) cells.push_back(deviceOf(grid, point).name);
    cells.push_back(stateText(point));
    const bool timed = point.timing.repeats > 0;
    const auto& copy = point.bandwidth.copy_gb_per_s;
    cells.push_back(timed ? formatUs(point.timing.median_us) : "");
    cells.push_back(point.timing.repeats > 1 ? fmt::format("{} to {}", formatUs(point.timing.min_us),
                                                           formatUs(point.timing.max_us))
                                             : "");
    cells.push_back(point.bandwidth.gb_per_s > 0 ? formatGbPerS(point.bandwidth.gb_per_s) : "");
    cells.push_back(copy && *copy > 0 ? formatPercent(point.bandwidth.gb_per_s / *copy) : "");
    table.addRow(std::move(cells));
  }
  return table.text();
}

std::string sweepCsv(const SweepGrid& grid, const SweepResult& result) {
  const auto parameters = parameterColumns(grid, false);
  std::vector<std::string> titles{"family", "variant"};
  for (const ParameterSpec* spec : parameters) titles.push_back(spec->name);
  for (const char* title : {"device", "provenance", "state", "verified", "median_us", "min_us", "max_us",
                            "repeats", "bandwidth_gb_s", "copy_gb_s", "reason"}) {
    titles.emplace_back(title);
  }
  std::string text = csvRow(titles);
  for (const PointResult& point : result.points) {
    const RunRequest& request = grid.points[point.point].request;
    const DeviceDescription& device = deviceOf(grid, point);
    const auto number = [](double value, bool known) { return known ? fmt::format("{}", value) : ""; };
    const bool done = point.state == StoredPoint::State::kDone;
    const bool timed = point.timing.repeats > 0;
    std::vector<std::string> cells{request.family, request.variant};
    for (const ParameterSpec* spec : parameters) cells.push_back(valueText(*spec, request, true));
    cells.insert(
        cells.end(),
        {device.name, provenanceName(device.provenance), stateName(point.state),
         done && !point.verification.unchecked ? (point.verification.passed ? "true" : "false") : "",
         number(point.timing.median_us, timed), number(point.timing.min_us, timed),
         number(point.timing.max_us, timed), timed ? fmt::to_string(point.timing.repeats) : "",
         number(point.bandwidth.gb_per_s, point.bandwidth.gb_per_s > 0),
         number(point.bandwidth.copy_gb_per_s.value_or(0), point.bandwidth.copy_gb_per_s.has_value()),
         point.reason});
    text += csvRow(cells);
  }
  return text;
}

Json sweepJson(const SweepGrid& grid, const SweepResult& result, const SweepOptions& options) {
  Json points = Json::array();
  for (const PointResult& point : result.points) {
    const SweepPoint& asked = grid.points[point.point];
    const DeviceDescription& device = deviceOf(grid, point);
    Json parameters = Json::object();
    const auto experiment = findExperiment(asked.request.family);
    for (const ParameterSpec& spec : (*experiment)->info().parameters) {
      const auto value = asked.request.parameters.find(spec.name);
      if (value == asked.request.parameters.end()) continue;
      parameters[spec.name] = spec.kind == ParameterKind::kChoice ? Json(formatParameter(spec, value->second))
                                                                  : Json(value->second);
    }
    Json entry = {{"family", asked.request.family},
                  {"variant", asked.request.variant},
                  {"device", device.name},
                  {"provenance", provenanceName(device.provenance)},
                  {"parameters", parameters},
                  {"state", stateName(point.state)},
                  {"ran", point.ran}};
    if (point.state == StoredPoint::State::kDone) {
      entry["file"] = runFile(options.folder, asked.name).string();
      entry["verified"] = point.verification.passed;
      if (point.hazards) entry["hazards"] = *point.hazards;
    }
    if (point.timing.repeats > 0) {
      entry["time_us"] = {{"median", point.timing.median_us},
                          {"min", point.timing.min_us},
                          {"max", point.timing.max_us},
                          {"repeats", point.timing.repeats}};
    }
    if (point.bandwidth.gb_per_s > 0) entry["bandwidth_gb_s"] = point.bandwidth.gb_per_s;
    if (!point.reason.empty()) entry["reason"] = point.reason;
    points.push_back(std::move(entry));
  }
  return {{"folder", options.folder.string()},
          {"shard", fmt::format("{}/{}", options.shard.index, options.shard.count)},
          {"stopped", result.cancelled},
          {"points", std::move(points)}};
}

std::string sweepCounts(const SweepResult& result) {
  const auto count = [&](auto&& is) { return std::ranges::count_if(result.points, is); };
  const auto in = [&](StoredPoint::State state) {
    return count([state](const PointResult& point) { return point.state == state; });
  };
  const auto ran =
      count([](const PointResult& point) { return point.ran && point.state == StoredPoint::State::kDone; });
  const auto elsewhere = count([](const PointResult& point) { return point.elsewhere; });
  std::string text =
      fmt::format("{} points: {} done", formatCount(static_cast<int64_t>(result.points.size())),
                  formatCount(in(StoredPoint::State::kDone)));
  if (ran != in(StoredPoint::State::kDone)) text += fmt::format(" ({} of them now)", formatCount(ran));
  if (const auto n = in(StoredPoint::State::kImpossible); n > 0) text += fmt::format(", {} impossible", n);
  if (const auto n = in(StoredPoint::State::kFailed); n > 0) text += fmt::format(", {} FAILED", n);
  if (elsewhere > 0) text += fmt::format(", {} being run by another warpscope", elsewhere);
  if (const auto n = in(StoredPoint::State::kMissing)-elsewhere; n > 0)
    text += fmt::format(", {} not run", n);
  return text;
}

}  // namespace warpscope
