#include "kernels/metrics/run_report.h"

#include <fmt/format.h>

#include <cmath>

#include "kernels/core/json.h"
#include "kernels/metrics/achieved.h"
#include "kernels/metrics/achieved_cause.h"
#include "kernels/metrics/instruction_metrics.h"
#include "kernels/metrics/metric.h"
#include "kernels/metrics/metrics.h"
#include "kernels/metrics/precision.h"
#include "kernels/metrics/streams.h"
#include "kernels/recording/run_json.h"
#include "kernels/run/run.h"

namespace warpscope {
namespace {

// "occupancy.achieved": a member of the object "occupancy".
Json& memberAt(Json& report, std::string_view key) {
  const size_t dot = key.find('.');
  if (dot == std::string_view::npos) return report[std::string(key)];
  return report[std::string(key.substr(0, dot))][std::string(key.substr(dot + 1))];
}

void setNumber(Json& member, MetricUnit unit, double value) {
  if (isWhole(unit)) {
    member = static_cast<int64_t>(value);
  } else {
    member = value;
  }
}

void addMetrics(const Run& run, Json& report) {
  for (const Metric& metric : metrics()) {
    if ((metric.outputs & kInReport) == 0) continue;
    const auto known = metric.compute(run);
    if (!known || !std::isfinite(known->value)) continue;
    Json& member = memberAt(report, metric.key.empty() ? metric.id : metric.key);
    setNumber(member, metric.unit, known->value);
  }
}

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
    Json entry = Json::object();
    entry["name"] = region.name;
    for (const RegionMetric& metric : regionMetricList()) {
      const auto value = metric.value(region);
      if (!metric.report_key.empty() && value && std::isfinite(*value))
        setNumber(entry[std::string(metric.report_key)], metric.unit, *value);
    }
    regions.push_back(std::move(entry));
  }
  return regions;
}

// By line of the source file; line 0 is code that is of no line of it.
Json waitsReport(const Run& run) {
  const WaitSamples& samples = *run.wait_samples;
  Json lines = Json::array();
  const std::vector<IssueMetrics> of_lines = issueMetricsOfLines(run, issueMetricsOfListing(run));
  for (size_t line = 0; line < of_lines.size(); ++line) {
    const IssueMetrics& waits = of_lines[line];
    if (waits.samples == 0) continue;
    Json states = Json::object();
    for (size_t i = 0; i < kWarpStates; ++i) {
      if (waits.stalled[i] > 0) states[warpStateName(static_cast<WarpState>(i))] = waits.stalled[i];
    }
    lines.push_back({{"line", line},
                     {"samples", waits.samples},
                     {"stalled", waits.stalled_samples},
                     {"stalled_for", std::move(states)}});
  }
  return {{"interval_cycles", samples.interval_cycles},
          {"launches", samples.launches},
          {"samples", samples.taken},
          {"dropped", samples.dropped},
          {"elsewhere", samples.elsewhere},
          {"lines", std::move(lines)}};
}

Json activityReport(const ActivitySamples& activity) {
  Json metrics = Json::array(), samples = Json::array();
  for (size_t i = 0; i < kActivityKinds; ++i) metrics.push_back(activityMetric(static_cast<ActivityKind>(i)));
  for (const ActivitySample& sample : activity.samples) {
    Json percent = Json::array();
    for (const double value : sample.percent) percent.push_back(value);
    samples.push_back(
        {{"begin_ns", sample.begin_ns}, {"end_ns", sample.end_ns}, {"percent", std::move(percent)}});
  }
  return {{"interval_ns", activity.interval_ns},
          {"uncertainty_ns", activity.uncertainty_ns},
          {"launches", activity.launches},
          {"metrics", std::move(metrics)},
          {"samples", std::move(samples)}};
}

Json operationReport(const StreamLog& log, const StreamOperation& operation) {
  Json report = {{"kind", operationKindName(operation.kind)},
                 {"name", operation.name},
                 {"stream", log.streams[operation.stream].name}};
  if (!operation.kernel.empty()) {
    report["kernel"] = operation.kernel;
    report["blocks"] = operation.blocks;
  }
  if (log.gpus() > 1) report["gpu"] = operation.gpu;
  if (operation.bytes > 0) report["bytes"] = operation.bytes;
  if (operation.graph) report["graph"] = *operation.graph;
  if (operation.skipped) report["skipped"] = true;
  if (operation.memory) report["memory"] = hostMemoryName(*operation.memory);
  report["enqueue_ns"] = operation.enqueue_ns;
  report["enqueued_ns"] = operation.enqueued_ns;
  report["begin_ns"] = operation.begin_ns;
  report["end_ns"] = operation.end_ns;
  Json after = Json::array();
  for (const uint32_t before : operation.after) after.push_back(before);
  report["after"] = std::move(after);
  if (operation.primary) report["primary"] = *operation.primary;
  if (operation.waited_for == StreamWait::kNothing) return report;
  report["waited_for"] = streamWaitName(operation.waited_for);
  report["waited_on"] = operation.waited_on;
  report["wait"] = log.waitText(operation);
  return report;
}

Json graphsReport(const StreamLog& log) {
  Json graphs = Json::array();
  for (uint32_t i = 0; i < log.graphs.size(); ++i) {
    const StreamGraph& graph = log.graphs[i];
    graphs.push_back({{"name", graph.name},
                      {"making", graphMakingName(graph.making)},
                      {"stream", log.streams[graph.stream].name},
                      {"nodes", log.nodesOf(i)},
                      {"make_ns", graph.make_ns}});
    const NodeTimes times = nodeTimes(log, i);
    if (times.executed_ns > 0) graphs.back()["node_ns"] = times.executed_ns;
    if (const uint32_t skipped = log.skippedOf(i); skipped > 0) graphs.back()["skipped"] = skipped;
    if (times.skipped_ns > 0) graphs.back()["skipped_node_ns"] = times.skipped_ns;
  }
  return graphs;
}

Json migrationsReport(const StreamLog& log) {
  Json migrations = Json::array();
  for (const PageMigration& migration : log.migrations) {
    migrations.push_back({{"operation", migration.operation},
                          {"to", migration.to_device ? "device" : "host"},
                          {"faults", migration.faults},
                          {"bytes", migration.bytes},
                          {"begin_ns", migration.begin_ns},
                          {"end_ns", migration.end_ns}});
  }
  return migrations;
}

Json streamsReport(const StreamLog& log) {
  const StreamTimes times = streamTimes(log);
  Json busy = Json::object(), streams = Json::array(), operations = Json::array();
  for (const BusyUnit& unit : times.busy) busy[times.nameOf(unit)] = unit.busy_ns;
  for (const StreamInfo& stream : log.streams) {
    streams.push_back(
        {{"name", stream.name}, {"kind", streamKindName(stream.kind)}, {"priority", stream.priority}});
    if (times.several_gpus) streams.back()["gpu"] = stream.gpu;
  }
  for (const StreamOperation& operation : log.operations)
    operations.push_back(operationReport(log, operation));
  Json report = {{"total_ns", times.total_ns},
                 {"busy_ns", std::move(busy)},
                 {"bound_ns", times.boundNs()},
                 {"bound_by", times.nameOf(times.busiest())},
                 {"overlap", times.overlap()},
                 {"timed_by", streamClockName(log.timing.clock)},
                 {"uncertainty_ns", log.timing.uncertainty_ns},
                 {"host_uncertainty_ns", log.timing.host_uncertainty_ns},
                 {"streams", std::move(streams)},
                 {"operations", std::move(operations)}};
  if (times.several_gpus) report["gpu_uncertainty_ns"] = log.timing.gpu_uncertainty_ns;
  if (!log.timing.problem.empty()) report["timing_problem"] = log.timing.problem;
  if (!log.graphs.empty()) report["graphs"] = graphsReport(log);
  if (!log.migrations.empty()) report["migrations"] = migrationsReport(log);
  return report;
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
  if (run.verification.unchecked) report["unchecked"] = run.verification.detail;
  if (run.timing.repeats > 0) {
    report["time_us"] = {
        {"min", run.timing.min_us}, {"max", run.timing.max_us}, {"repeats", run.timing.repeats}};
  }
  if (const auto& library = run.bandwidth.library) {
    report["library"] = {{"name", library->name}, {"bandwidth_gb_s", library->gb_per_s}};
  }
  if (const auto& precision = run.verification.precision) report["precision"] = precisionReport(*precision);
  report["occupancy"]["limiter"] = limiterName(run.occupancy.limiter);
  if (const auto found = achievedOf(run)) {
    report["occupancy"]["achieved_low"] = found->low;
    report["occupancy"]["achieved_high"] = found->high;
    report["occupancy"]["achieved_from"] = achievedFromName(found->from);
  }
  if (const auto& evidence = run.trace.residency_evidence) {
    report["occupancy"]["residency"] = {{"probe_cycles", evidence->probe_cycles},
                                        {"probe_share", evidence->probe_share},
                                        {"held_share", evidence->held_share},
                                        {"uneven_share", evidence->uneven_share},
                                        {"spread_warps", evidence->spread_warps}};
  }
  if (const std::string cause = achievedCause(run); !cause.empty())
    report["occupancy"]["achieved_cause"] = cause;
  if (!run.trace.warps.empty()) {
    const LaneCycles lanes = laneCycles(run.trace);
    report["lane_cycles"] = {{"executing", lanes.executing},
                             {"waiting", lanes.waiting},
                             {"exited", lanes.exited},
                             {"never_existed", lanes.never_existed}};
  }
  Json& counters = report["counters"] = Json::object();
  for (const auto& [name, value] : run.counters) setIfKnown(counters, name.c_str(), value, true);
  if (run.wait_samples) report["wait_samples"] = waitsReport(run);
  if (run.activity_samples) report["activity_samples"] = activityReport(*run.activity_samples);
  if (!run.samples_problem.empty()) report["samples_problem"] = run.samples_problem;
  report["probe"] = {{"kept", run.probe.kept}, {"dropped", run.probe.dropped}};
  if (run.probe.registers_per_thread) report["probe"]["registers"] = *run.probe.registers_per_thread;
  if (run.probe.theoretical_occupancy) report["probe"]["occupancy"] = *run.probe.theoretical_occupancy;
  addMetrics(run, report);
  report["regions"] = regionsReport(run);
  if (run.streams) report["streams"] = streamsReport(*run.streams);
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
