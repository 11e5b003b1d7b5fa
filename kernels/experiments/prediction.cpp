#include "kernels/experiments/prediction.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/experiments/experiment.h"
#include "kernels/metrics/counters.h"

namespace warpscope {
namespace {

struct Spans {
  uint64_t warps = 0, spans = 0, lanes = 0;
};

// Uses only blocks that were recorded completely: where slots run out, some of a block's warps are missing,
// and the others may not be typical. Warps of a block are consecutive.
Spans spansIn(const Run& run, RegionId region) {
  const uint64_t warps_per_block = (run.block.count() + kWarpSize - 1) / kWarpSize;
  Spans sum;
  const std::span<const TraceWarp> warps = run.trace.warps;
  for (size_t first = 0; first < warps.size();) {
    size_t behind = first;
    while (behind < warps.size() && warps[behind].block == warps[first].block) ++behind;
    if (behind - first == warps_per_block) {
      sum.warps += warps_per_block;
      for (const TraceWarp& warp : warps.subspan(first, behind - first)) {
        forEachSpan(run.trace, warp, [&](const Span& span) {
          if (span.region != region) return;
          ++sum.spans;
          sum.lanes += static_cast<uint64_t>(span.mask.count());
        });
      }
    }
    first = behind;
  }
  return sum;
}

double quotient(uint64_t of, uint64_t by) {
  return static_cast<double>(of) / static_cast<double>(by);
}

// If events were lost, the rest says nothing about the whole.
bool isWhole(const Run& run) {
  return run.trace.dropped_events == 0 && !run.trace.warps.empty();
}

std::vector<PredictionResult> resultsOf(
    const RunRequest& request, const DeviceLimits& limits,
    const std::function<std::optional<double>(const Prediction&)>& measured) {
  std::vector<PredictionResult> results;
  const auto experiment = findExperiment(request.family);
  if (!experiment) return results;
  // A recording may come from a program with other variants, or with fewer parameters: those had a single
  // value.
  const auto complete = completeRequest((*experiment)->info(), request);
  if (!complete) return results;
  for (Prediction& prediction : (*experiment)->predictions(*complete, limits)) {
    const auto shown = measured(prediction);
    results.push_back({std::move(prediction.label), std::move(prediction.unit), std::move(prediction.reason),
                       prediction.predicted, prediction.tolerance, shown});
  }
  return results;
}

}  // namespace

bool PredictionResult::fulfilled() const {
  // Sums of exact counts may still differ in the last bit.
  const double allowed = std::max(tolerance, 1e-12) * std::abs(predicted);
  return measured && std::abs(*measured - predicted) <= allowed;
}

std::vector<PredictionResult> predictionResults(const Run& run) {
  return resultsOf(run.request, run.device.limits,
                   [&](const Prediction& prediction) { return prediction.measure(run); });
}

std::vector<PredictionResult> predictionsWithoutRun(const RunRequest& request, const DeviceLimits& limits) {
  return resultsOf(request, limits, [](const Prediction&) { return std::nullopt; });
}

Measure counted(std::vector<std::string> counters) {
  return [counters = std::move(counters)](const Run& run) -> std::optional<double> {
    double sum = 0;
    for (const std::string& name : counters) {
      const auto value = counterOf(run, name);
      if (!value) return std::nullopt;
      sum += *value;
    }
    return sum;
  };
}

Measure countedPer(std::string counter, std::string other) {
  return [counter = std::move(counter), other = std::move(other)](const Run& run) -> std::optional<double> {
    const auto of = counterOf(run, counter), by = counterOf(run, other);
    if (!of || !by || *by == 0) return std::nullopt;
    return *of / *by;
  };
}

Measure countedPer(std::string counter, double number) {
  return [counter = std::move(counter), number](const Run& run) -> std::optional<double> {
    const auto of = counterOf(run, counter);
    if (!of || number == 0) return std::nullopt;
    return *of / number;
  };
}

Measure lanesASpan(RegionId region) {
  return [region](const Run& run) -> std::optional<double> {
    const Spans spans = spansIn(run, region);
    if (!isWhole(run) || spans.spans == 0) return std::nullopt;
    return quotient(spans.lanes, spans.spans);
  };
}

Measure spansAWarp(RegionId region) {
  return [region](const Run& run) -> std::optional<double> {
    const Spans spans = spansIn(run, region);
    if (!isWhole(run) || spans.warps == 0) return std::nullopt;
    return quotient(spans.spans, spans.warps);
  };
}

}  // namespace warpscope
