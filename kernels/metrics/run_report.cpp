// The command line's public contract: what `run`, `show` and `devices` print with --json. Unknown is absent.
#include <fmt/format.h>

#include <cmath>

#include "kernels/core/json.h"
#include "kernels/metrics/metrics.h"
#include "kernels/metrics/precision.h"
#include "kernels/recording/run_json.h"
#include "kernels/run/limiter_name.h"

namespace warpscope {
namespace {

using json = Json;

void setIfKnown(json& object, const char* key, double value, bool known) {
  if (known && std::isfinite(value)) object[key] = value;
}

json parametersReport(const Run& run) {
  json parameters = json::object();
  for (const auto& [name, value] : run.request.parameters) {
    const auto label = run.parameter_labels.find(name);
    // "2^24" is a way to write a number; "32x8" is the name of a choice.
    const bool is_choice = label != run.parameter_labels.end() && !label->second.starts_with("2^") &&
                           label->second != fmt::to_string(value);
    parameters[name] = is_choice ? json(label->second) : json(value);
  }
  return parameters;
}

json regionsReport(const Run& run) {
  json regions = json::array();
  for (const RegionMetrics& region : regionMetrics(run)) {
    json entry = {{"name", region.name}, {"spans", region.spans}, {"cycles", region.cycles}};
    if (region.line > 0) entry["line"] = region.line;
    setIfKnown(entry, "mean_active_lanes", region.mean_active_lanes, region.cycles > 0);
    entry["lost_lane_cycles"] = region.lost_lane_cycles;
    regions.push_back(std::move(entry));
  }
  return regions;
}

json precisionReport(const Precision& precision) {
  json report = {{"terms", precision.terms},
                 {"sum", precision.sum},
                 {"float64_sum", precision.reference},
                 {"sequential_sum", precision.sequential}};
  const auto add_errors = [&](const std::string& prefix, double sum) {
    report[prefix + "relative_error"] = relativeError(sum, precision.reference);
    report[prefix + "error_ulps"] = errorInUlps(sum, precision.reference);
  };
  add_errors("", precision.sum);
  add_errors("sequential_", precision.sequential);
  return report;
}

}  // namespace

json runReport(const Run& run) {
  json report = {{"family", run.request.family},        {"variant", run.request.variant},
                 {"device", run.device.name},           {"provenance", provenanceName(run.device.provenance)},
                 {"parameters", parametersReport(run)}, {"verified", run.verification.passed}};
  if (run.timing.repeats > 0) {
    report["time_us"] = {{"median", run.timing.median_us},
                         {"min", run.timing.min_us},
                         {"max", run.timing.max_us},
                         {"repeats", run.timing.repeats}};
  }
  setIfKnown(report, "bandwidth_gb_s", run.bandwidth.gb_per_s, run.bandwidth.gb_per_s > 0);
  if (const auto& library = run.bandwidth.library) {
    report["library"] = {{"name", library->name}, {"bandwidth_gb_s", library->gb_per_s}};
  }
  if (const auto& precision = run.verification.precision) report["precision"] = precisionReport(*precision);
  if (run.resources.registers_per_thread > 0) report["registers"] = run.resources.registers_per_thread;
  report["shared_bytes"] = run.resources.static_shared_bytes + run.resources.dynamic_shared_bytes;
  json& occupancy = report["occupancy"] = {{"theoretical", run.occupancy.theoretical},
                                           {"limiter", limiterName(run.occupancy.limiter)}};
  if (const auto achieved = achievedOccupancy(run)) occupancy["achieved"] = *achieved;
  if (const auto efficiency = branchEfficiency(run)) report["branch_efficiency"] = *efficiency;
  if (!run.trace.warps.empty()) {
    const LaneCycles lanes = laneCycles(run.trace);
    report["lane_cycles"] = {{"executing", lanes.executing},
                             {"waiting", lanes.waiting},
                             {"exited", lanes.exited},
                             {"never_existed", lanes.never_existed}};
  }
  json& counters = report["counters"] = json::object();
  for (const auto& [name, value] : run.counters) setIfKnown(counters, name.c_str(), value, true);
  json& probe = report["probe"] = {{"kept", run.probe.kept}, {"dropped", run.probe.dropped}};
  setIfKnown(probe, "cost_ratio", run.probe.ratio, run.probe.ratio > 0);
  report["regions"] = regionsReport(run);
  if (run.hazards) report["hazards"] = hazardsJson(*run.hazards);
  return report;
}

json deviceReport(const DeviceDescription& device) {
  return {{"id", device.id},
          {"name", device.name},
          {"kind", kindName(device.kind)},
          {"provenance", provenanceName(device.provenance)}};
}

}  // namespace warpscope
