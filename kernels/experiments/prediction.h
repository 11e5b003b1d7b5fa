// Theoretical predictions for a run at its settings, beside the measured values: "a read takes gcd(stride,
// 32) wavefronts: 8; counted: 8". Families predict (Experiment::predictions); command line and window print
// both. A prediction is computed from the request alone, never from the run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

struct Prediction {
  std::string label;   // "Wavefronts of a read"
  std::string unit;    // "wavefronts"; empty: a plain number
  std::string reason;  // how theory arrives at it, in one line: "gcd(stride, 32) words lie in one bank"
  double predicted = 0;
  // The deviation allowed in a correct run, relative to `predicted`, where theory gives an average; 0: exact.
  double tolerance = 0;
  // The value that the run shows; nullopt if its device does not report it (only a simulated GPU has
  // counters), or if nothing of the kind happened.
  std::function<std::optional<double>(const Run&)> measure;
};

struct PredictionResult {
  std::string label, unit, reason;
  double predicted = 0, tolerance = 0;
  std::optional<double> measured;
  bool fulfilled() const;  // false if the measured value is not known
};

// The predictions for a finished run's family, variant and settings; empty if this program does not have
// them.
std::vector<PredictionResult> predictionResults(const Run& run);
// The same before there is a run: `measured` is absent.
std::vector<PredictionResult> predictionsWithoutRun(const RunRequest& request, const DeviceLimits& limits);

// Functions that extract from a run what predictions are compared with.
using Measure = std::function<std::optional<double>(const Run&)>;
// Counters of the whole launch, by Nsight Compute's names: their sum, divided by another counter (absent if
// that is 0) or by a number.
Measure counted(std::vector<std::string> counters);
Measure countedPer(std::string counter, std::string other);
Measure countedPer(std::string counter, double number);
// For the spans in a region (kernels/run/trace.h) in all blocks that were recorded completely: mean lanes per
// span; spans per warp.
Measure lanesASpan(RegionId region);
Measure spansAWarp(RegionId region);

}  // namespace warpscope
