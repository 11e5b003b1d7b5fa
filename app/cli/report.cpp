#include "app/cli/report.h"

#include <nlohmann/json.hpp>

#include "kernels/experiments/prediction.h"
#include "kernels/recording/run_json.h"

namespace warpscope {
namespace {

nlohmann::json predictionsReport(const Run& run) {
  auto predictions = nlohmann::json::array();
  for (const PredictionResult& result : predictionResults(run)) {
    nlohmann::json entry = {{"name", result.label},
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

nlohmann::json reportOf(std::span<const Run> runs) {
  auto array = nlohmann::json::array();
  for (const Run& run : runs) {
    array.push_back(runReport(run));
    array.back()["predictions"] = predictionsReport(run);
  }
  return array;
}

}  // namespace warpscope
