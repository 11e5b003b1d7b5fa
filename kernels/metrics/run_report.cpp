#include "kernels/metrics/run_report.h"

#include <fmt/format.h>

#include <cmath>

#include "kernels/core/json.h"
#include "kernels/metrics/metrics.h"
#include "kernels/metrics/precision.h"
#include "kernels/recording/run_json.h"
#include "kernels/run/limiter_name.h"

namespace warpscope {
namespace {

void setIfKnown(Json& object, const char* key, double value, bool known) {
  if (known && std::isfinite(value)) object[key] = value;
}

Json parametersReport(const Run& run) {
  Json parameters = Json::object();
  for (const auto& [name, value] : run.request.parameters) {
    const auto label = run.parameter_labels.find(name);
    // "2^24" is a way to write a number; "32x8" is the name of a choice.
    const bool is_choice = label != run.parameter_labels.end() && !label->second.starts_with("2^") &&
                           label->second != fmt::to_string(value);
    parameters[name] = is_choice ? Json(label->second) : Json(value);
  }
  return parameters;
}

Json regionsReport(const Run& run) {
  Json regions = Json::array();
  for (const RegionMetrics& region : regionMetrics(run)) {
    Json entry = {{"name", region.name}, {"spans", region.spans}, {"cycles", region.cycles}};
    if (region.line > 0) entry["line"] = region.line;
    setIfKnown(entry, "mean_active_lanes", region.mean_active_lanes, region.cycles > 0);
    entry["lost_lane_cycles"] = region.lost_lane_cycles;
    regions.push_back(std::move(entry));
  }
  return regions;
}

Json precisionReport(const Precision& precision) {
  Json report = {{"terms", precision.terms},
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

Json runReport(const Run& run) {
  Json report = {{"family", run.request.family},        {"variant", run.request.variant},
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
  Json& occupancy = report["occupancy"] = {{"theoretical", run.occupancy.theoretical},
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
  Json& counters = report["counters"] = Json::object();
  for (const auto& [name, value] : run.counters) setIfKnown(counters, name.c_str(), value, true);
  Json& probe = report["probe"] = {{"kept", run.probe.kept}, {"dropped", run.probe.dropped}};
  setIfKnown(probe, "cost_ratio", run.probe.ratio, run.probe.ratio > 0);
  report["regions"] = regionsReport(run);
  if (run.hazards) report["hazards"] = hazardsJson(*run.hazards);
  return report;
}

Json deviceReport(const DeviceDescription& device) {
  return {{"id", device.id},
          {"name", device.name},
          {"kind", kindName(device.kind)},
          {"provenance", provenanceName(device.provenance)}};
}

}  // namespace warpscope
