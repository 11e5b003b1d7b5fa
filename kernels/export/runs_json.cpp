#include "kernels/export/runs_json.h"

#include "kernels/core/json.h"
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

Json runsJson(std::span<const Run> runs) {
  auto array = Json::array();
  for (const Run& run : runs) {
    array.push_back(runReport(run));
    array.back()["predictions"] = predictionsReport(run);
  }
  return array;
}

}  // namespace warpscope
