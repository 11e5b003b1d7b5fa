// The table of runs, whose columns are the values that any of the runs has.
#include <algorithm>
#include <array>
#include <map>

#include "kernels/core/json.h"
#include "kernels/export/tables.h"
#include "kernels/metrics/metric.h"
#include "kernels/metrics/run_report.h"

namespace warpscope::detail {
namespace {

// The report's names, where a column needs its unit or its group said in another way. Metrics say their own.
std::map<std::string, std::string> makeColumnNames() {
  std::map<std::string, std::string> names{{"time_us_min", "time_min_us"},
                                           {"time_us_max", "time_max_us"},
                                           {"time_us_repeats", "repeats"},
                                           {"probe_kept", "events_kept"},
                                           {"probe_dropped", "events_dropped"}};
  for (const Metric& metric : metrics()) {
    if (metric.column.empty()) continue;
    std::string name(metric.key.empty() ? metric.id : metric.key);
    std::ranges::replace(name, '.', '_');
    names[name] = metric.column;
  }
  return names;
}
const std::map<std::string, std::string> kColumnNames = makeColumnNames();

// The order of columns, by the beginning of their names.
constexpr std::array kOrder{
    "run",         "family",     "variant",     "device",     "provenance",    "created",      "driver",
    "recorded_on", "parameter_", "grid_",       "block_",     "verified",      "verification", "hazards",
    "time_",       "repeats",    "warm_ups",    "bandwidth_", "least_",        "copy_",        "library_",
    "registers",   "shared_",    "occupancy_",  "branch_",    "lost_",         "lane_",        "probe_",
    "events_",     "recorded_",  "unrecorded_", "launch_",    "cycles_per_ns", "clock_",       "precision_",
    "source_",     "counter_",
};

size_t rankOf(const std::string& column) {
  const auto found =
      std::ranges::find_if(kOrder, [&](const char* prefix) { return column.starts_with(prefix); });
  return static_cast<size_t>(found - kOrder.begin());
}

// Members of objects become "object_member"; lists have tables of their own.
void flatten(const Json& value, const std::string& name, Json& row) {
  if (value.isObject()) {
    const std::string prefix = name.empty()           ? ""
                               : name == "parameters" ? "parameter_"
                               : name == "counters"   ? "counter_"
                                                      : name + "_";
    for (const auto& [key, member] : value.items()) flatten(member, prefix + key, row);
  } else if (!value.isArray()) {
    const auto other = kColumnNames.find(name);
    row[other == kColumnNames.end() ? name : other->second] = value;
  }
}

// Adds values that a report omits.
void addCircumstances(const Run& run, Json& row) {
  const auto set = [&](const char* column, const Json& value, bool known) {
    if (known) row[column] = value;
  };
  set("device_id", run.device.id, !run.device.id.empty());
  set("created", run.created, !run.created.empty());
  set("driver", run.device.driver, !run.device.driver.empty());
  set("recorded_on", run.device.recorded_on, !run.device.recorded_on.empty());
  row["grid_blocks"] = run.grid.count();
  row["block_threads"] = run.block.count();
  row["verification"] = run.verification.detail;
  set("hazards", run.hazards ? run.hazards->size() : 0, run.hazards.has_value());
  set("warm_ups", run.timing.warm_ups, run.timing.repeats > 0);
  set("least_traffic_bytes", run.bandwidth.bytes, run.bandwidth.bytes > 0);
  set("copy_bandwidth_gb_s", run.bandwidth.copy_gb_per_s.value_or(0),
      run.bandwidth.copy_gb_per_s.has_value());
  for (const Metric& metric : metrics()) {
    if ((metric.outputs & kInCsv) == 0) continue;
    if (const auto known = metric.compute(run)) row[std::string(metric.id)] = known->value;
  }
  row["recorded_warps"] = run.trace.warps.size();
  row["unrecorded_warps"] = run.trace.unrecorded_warps;
  row["kernel_with_probes_cycles"] = run.trace.duration_cycles;
  set("cycles_per_ns", run.trace.clocks.cycles_per_ns, run.trace.clocks.cycles_per_ns > 0);
  const auto& uncertainty_ns = run.trace.clocks.uncertainty_ns;
  set("clock_uncertainty_ns", uncertainty_ns.value_or(0), uncertainty_ns.has_value());
  row["source_file"] = run.source_file;
}

Cell cellOf(const Json& row, const std::string& column) {
  const Json& value = row[column];
  switch (value.type()) {
    case Json::Type::kBoolean:
      return value.get<bool>();
    case Json::Type::kInteger:
      return value.get<int64_t>();
    case Json::Type::kUnsigned:
      return value.get<uint64_t>();
    case Json::Type::kFloat:
      return value.get<double>();
    case Json::Type::kString:
      return value.get<std::string_view>();
    default:
      return {};
  }
}

}  // namespace

Expected<void> writeRuns(const RunSource& runs, RowWriter& out) {
  std::vector<Json> rows;  // small, whatever the runs' traces hold
  std::vector<std::string> columns;
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto run = runs.load(i);
    if (!run) return tl::unexpected(run.error());
    Json& row = rows.emplace_back(Json{{"run", runs.number(i)}});
    flatten(runReport(**run), "", row);
    addCircumstances(**run, row);
    for (const auto& [column, value] : row.items()) columns.push_back(column);
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  std::ranges::stable_sort(columns, {}, rankOf);
  out.begin(columns);
  std::vector<Cell> cells;
  for (const Json& row : rows) {
    cells.clear();
    for (const std::string& column : columns) cells.push_back(cellOf(row, column));
    out.row(cells);
  }
  out.end();
  return {};
}

}  // namespace warpscope::detail
