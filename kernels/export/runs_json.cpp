#include "kernels/export/runs_json.h"

#include "kernels/core/json.h"
#include "kernels/experiments/experiment.h"
#include "kernels/experiments/prediction.h"
#include "kernels/metrics/run_report.h"

namespace warpscope {
namespace {

Json predictionsReport(const Run& run) {
  auto predictions = Json::array();
  for (const PredictionResult& result : predictionResults(run)) {
    Json entry = {{"name", result.label},
                  {"unit", result.unit},
                  {"reason", result.reason},
                  {"predicted", result.predicted},
                  {"tolerance", result.tolerance}};
    if (result.measured) {
      entry["measured"] = *result.measured;
      entry["fulfilled"] = result.fulfilled();
    }
    predictions.push_back(std::move(entry));
  }
  return predictions;
}

}  // namespace

std::vector<AdvisedRun> advisedRuns(const Run& run, std::span<const Run> others) {
  std::vector<const Run*> to_try;
  for (const Run& other : others)
    to_try.push_back(isCeiling(other.request.family, other.request.variant) ? nullptr : &other);
  std::vector<AdvisedRun> advised;
  for (Advice& advice : adviceFor(run)) {
    const auto by = variantThatDoes(advice, run, to_try);
    AdvisedRun& entry = advised.emplace_back(AdvisedRun{std::move(advice), advised.size() + 1});
    if (!by) continue;
    entry.by = to_try[*by];
    entry.found_gain = run.timing.median_us / entry.by->timing.median_us;
  }
  return advised;
}

Json adviceJson(const Run& run, std::span<const Run> others) {
  auto array = Json::array();
  for (const AdvisedRun& advised : advisedRuns(run, others)) {
    const Advice& advice = advised.advice;
    Json entry = {{"kind", adviceName(advice.kind)},
                  {"text", advice.text},
                  {"evidence", advice.evidence},
                  {"expected_gain", advice.gain},
                  {"how", advice.how}};
    if (advice.work) entry["work"] = *advice.work;
    if (advised.by != nullptr) {
      entry["variant"] = advised.by->request.variant;
      entry["found_gain"] = advised.found_gain;
    }
    array.push_back(std::move(entry));
  }
  return array;
}

Json runsJson(std::span<const Run> runs) {
  auto array = Json::array();
  for (const Run& run : runs) {
    array.push_back(runReport(run));
    array.back()["predictions"] = predictionsReport(run);
  }
  return array;
}

}  // namespace warpscope
