// What theory says of a run at its settings, beside what the run shows: "a read takes gcd(stride, 32) turns
// of the banks: 8; counted: 8". Families predict (Experiment::predictions); command line and window print
// both. A prediction is computed from the request alone, never from the run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

struct Prediction {
  std::string label;   // "turns of the banks a read"
  std::string unit;    // "wavefronts"; empty: a plain number
  std::string reason;  // how theory comes to it, one line: "gcd(stride, 32) words lie in one bank"
  double predicted = 0;
  // How far off a right run may be, relative to `predicted`, where theory speaks of the average; 0: exact.
  double tolerance = 0;
  // What the run shows; nullopt: its device does not tell (only a simulated GPU counts), or nothing of it
  // happened.
  std::function<std::optional<double>(const Run&)> measure;
};

struct PredictionResult {
  std::string label, unit, reason;
  double predicted = 0, tolerance = 0;
  std::optional<double> measured;
  bool fulfilled() const;  // what is not known is not fulfilled
};

// Of a finished run: those of its family and variant at its settings; empty if this program does not have
// them.
std::vector<PredictionResult> predictionResults(const Run& run);
// The same before there is a run: nothing is measured.
std::vector<PredictionResult> predictionsWithoutRun(const RunRequest& request, const DeviceLimits& limits);

// Measures: what predictions are compared with.
using Measure = std::function<std::optional<double>(const Run&)>;
// Counters of the whole launch, by Nsight Compute's names: their sum, divided by the other's (absent if that
// is 0) or by a number.
Measure counted(std::vector<std::string> counters);
Measure countedPer(std::string counter, std::string other);
Measure countedPer(std::string counter, double number);
// Of the spans in a region (kernels/run/trace.h) of all blocks that were recorded whole: mean lanes of a
// span; spans per warp.
Measure lanesASpan(RegionId region);
Measure spansAWarp(RegionId region);

}  // namespace warpscope
