#include "app/cli/run_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "app/cli/table.h"
#include "kernels/core/units.h"
#include "kernels/experiments/experiment.h"
#include "kernels/experiments/prediction.h"
#include "kernels/export/runs_json.h"
#include "kernels/metrics/achieved_cause.h"
#include "kernels/metrics/counters.h"
#include "kernels/metrics/metric.h"
#include "kernels/metrics/operation_notes.h"
#include "kernels/metrics/precision.h"
#include "kernels/occupancy/occupancy.h"
#include "kernels/run/run.h"
#include "kernels/run/warp_state.h"

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

std::string resultText(const Run& run) {
  std::string result = verificationWord(run.verification);
  if (!run.hazards || run.hazards->empty()) return result;
  return fmt::format("{}, {} hazard{}", result, run.hazards->size(), run.hazards->size() == 1 ? "" : "s");
}

// The ones that any of the runs has.
std::vector<const Metric*> metricsToShow(std::span<const MetricValues> values) {
  std::vector<const Metric*> shown;
  for (const Metric& metric : metrics()) {
    const bool told = std::ranges::any_of(values, [&](const auto& run) { return run[metric].has_value(); });
    if ((metric.outputs & kInRunTable) != 0 && told) shown.push_back(&metric);
  }
  return shown;
}

bool anyFloats(std::span<const Run> runs) {
  return std::ranges::any_of(runs, [](const Run& run) { return run.verification.precision.has_value(); });
}

// The error of each sum of floats, and that of a plain loop.
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
    table.addRow({variantLabel(run.request.family, run.request.variant), fmt::format("{:.9g}", precision.sum),
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

// Why achieved occupancy is below theory, once for all runs of which it is true.
std::string causeTexts(std::span<const Run> runs) {
  std::map<std::string, std::vector<std::string>> variants;
  for (const Run& run : runs) {
    std::vector<std::string>& of_cause = variants[achievedCause(run)];
    if (std::ranges::find(of_cause, run.request.variant) == of_cause.end())
      of_cause.push_back(run.request.variant);
  }
  std::string texts;
  for (const auto& [cause, names] : variants) {
    if (!cause.empty())
      texts += fmt::format("achieved occupancy is below theory: {} ({})\n", cause, fmt::join(names, ", "));
  }
  return texts;
}

// These notes say what a run did not do as it was asked to, or shows less of.
std::string warningTexts(std::span<const Run> runs) {
  std::string texts;
  for (const Run& run : runs) {
    for (const TraceProblem& problem : run.trace.problems) {
      if (problem.severity == TraceProblem::Severity::kWarning)
        texts += fmt::format("note: {} ({})\n", problem.cause, run.request.variant);
    }
  }
  return texts;
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
  columns.push_back({"result", Align::kRight});
  columns.push_back({"launch ± half range", Align::kRight});
  std::vector<MetricValues> values;
  for (const Run& run : runs) values.emplace_back(run);
  const std::vector<const Metric*> shown = metricsToShow(values);
  for (const Metric* metric : shown) columns.push_back({std::string(metric->title), Align::kRight});
  columns.push_back({"occupancy limited by"});
  columns.push_back({"events", Align::kRight});

  TimeColumn launches;
  std::map<const Metric*, TimeColumn> times;
  for (size_t i = 0; i < runs.size(); ++i) {
    launches.add(runs[i].timing.median_us);
    for (const Metric* metric : shown) {
      if (const auto& known = values[i][*metric]) times[metric].add(known->value);
    }
  }

  Table table(std::move(columns));
  for (size_t i = 0; i < runs.size(); ++i) {
    const Run& run = runs[i];
    std::vector<std::string> cells{variantLabel(run.request.family, run.request.variant)};
    for (const std::string& name : parameters.varying) cells.push_back(parameterText(run, name));
    cells.push_back(resultText(run));
    cells.push_back(run.timing.repeats == 1
                        ? launches.text(run.timing.median_us)
                        : launches.withSpread(run.timing.median_us, run.timing.min_us, run.timing.max_us));
    for (const Metric* metric : shown) {
      const auto& known = values[i][*metric];
      cells.push_back(known ? formatMetric(*metric, *known, times[metric]) : "");
    }
    cells.emplace_back(limiterName(run.occupancy.limiter));
    cells.push_back(eventsText(run));
    table.addRow(std::move(cells));
  }
  return fmt::format("{} on {} ({}, {}): {}{}{}\n{}{}{}{}", first.request.family, first.device.name,
                     first.device.id, provenanceName(first.device.provenance), parameters.common,
                     parameters.common.empty() ? "" : "; ",
                     first.timing.repeats == 1 ? std::string("one launch")
                                               : fmt::format("median of {} launches", first.timing.repeats),
                     table.text(), causeTexts(runs) + warningTexts(runs), libraryText(runs),
                     anyFloats(runs) ? "\n" + precisionTable(runs) : "");
}

std::string hazardTexts(const Run& run) {
  std::string texts;
  for (const Hazard& hazard : run.hazards.value_or(std::vector<Hazard>{})) {
    texts +=
        fmt::format("\n{}: {}", variantLabel(run.request.family, run.request.variant), formatHazard(hazard));
  }
  return texts;
}

std::string regionTable(const Run& run) {
  std::vector<Column> columns{{"  region"}};
  for (const RegionMetric* metric : regionMetricsToRead())
    columns.push_back({std::string(metric->title), Align::kRight});
  Table table(std::move(columns));
  for (const RegionMetrics& region : regionMetrics(run)) {
    std::vector<std::string> cells{"  " + region.name};
    for (const RegionMetric* metric : regionMetricsToRead())
      cells.push_back(formatRegionMetric(*metric, region));
    table.addRow(std::move(cells));
  }
  return table.text();
}

std::string operationTable(const Run& run) {
  if (!run.streams) return "  a single launch\n";
  const StreamLog& log = *run.streams;
  Table table({{"  operation"},
               {"stream"},
               {"enqueued", Align::kRight},
               {"begin", Align::kRight},
               {"end", Align::kRight},
               {"because"}});
  const auto us = [](double ns) { return formatUs(ns / 1e3, 3); };
  for (const StreamOperation& operation : log.operations) {
    const StreamInfo& stream = log.streams[operation.stream];
    table.addRow({fmt::format("  {}, {}{}", operation.name, operationKindName(operation.kind),
                              operation.skipped ? ", skipped" : ""),
                  log.gpus() > 1 ? fmt::format("{}, GPU {}", stream.name, stream.gpu) : stream.name,
                  us(operation.enqueued_ns), us(operation.begin_ns), us(operation.end_ns),
                  operationReason(log, operation)});
  }
  std::string text = table.text();
  for (const std::string& note : operationNotes(log)) text += fmt::format("  {}\n", note);
  return text;
}

std::string adviceText(const Run& run, std::span<const Run> others) {
  std::string text;
  for (const AdvisedRun& advised : advisedRuns(run, others)) {
    const Advice& advice = advised.advice;
    std::string how = advice.how;
    std::ranges::replace(how, '\n', ' ');
    text += fmt::format("  {}. {}\n     {} {}\n", advised.place, advice.text, advice.evidence, how);
    if (advised.by == nullptr) continue;
    text += fmt::format("     {} does it: {} times faster.\n",
                        variantLabel(run.request.family, advised.by->request.variant),
                        formatSignificant(advised.found_gain, 2));
  }
  return text.empty() ? "  nothing stands out\n" : text;
}

std::string theoryTable(const Run& run) {
  Table table({{"  theory"}, {"predicted", Align::kRight}, {"found", Align::kRight}, {"unit"}, {"because"}});
  for (const PredictionResult& result : predictionResults(run)) {
    const std::string found = result.measured
                                  ? formatSignificant(*result.measured) + (result.fulfilled() ? "" : " (!)")
                                  : "not reported";
    table.addRow(
        {"  " + result.label, formatSignificant(result.predicted), found, result.unit, result.reason});
  }
  return table.text();
}

std::string counterTable(const Run& run) {
  if (!run.counters_problem.empty()) return fmt::format("  {}\n", run.counters_problem);
  if (run.counters.empty() && run.device.kind == DeviceKind::kRecorded)
    return "  recorded without counters\n";
  if (run.counters.empty()) return fmt::format("  {} reports no counters\n", run.device.name);
  return fmt::format("  {}\n{}", provenanceName(run.device.provenance), counterTable(run.counters));
}

namespace {

class Rows {
 public:
  explicit Rows(const std::map<std::string, double>& counters) : counters_(counters) {}

  void add(const std::string& name, const std::string& title, std::string_view unit) {
    const auto found = counters_.find(name);
    if (found == counters_.end()) return;
    shown_.insert(name);
    if (found->second == 0) {
      ++zeros_;
    } else {
      table_.addRow({"  " + title, formatCounter(found->second, unit), name});
    }
  }
  void addRest() {
    for (const auto& [name, value] : counters_) {
      if (!shown_.contains(name)) add(name, "", "");
    }
  }
  std::string text() const {
    return table_.text() + (zeros_ == 0 ? "" : fmt::format("  {} more are 0\n", zeros_));
  }

 private:
  const std::map<std::string, double>& counters_;
  std::set<std::string> shown_;
  Table table_{{{"  counter"}, {"value", Align::kRight}, {"Nsight Compute's name"}}};
  size_t zeros_ = 0;
};

}  // namespace

std::string counterTable(const std::map<std::string, double>& counters) {
  Rows rows(counters);
  for (const CounterText& text : counterTexts()) {
    rows.add(std::string(text.name), std::string(text.title), text.unit);
  }
  for (size_t i = 0; i < kWarpStates; ++i) {
    const auto state = static_cast<WarpState>(i);
    rows.add(warpStateCounter(state), fmt::format("warps {} per issued instruction", warpStateTitle(state)),
             "cycles");
  }
  rows.addRest();
  return rows.text();
}

}  // namespace warpscope
