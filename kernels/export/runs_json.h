// Runs as `run` and `show` print them with --json: each run's own report, and what theory predicts for it.
#pragma once

#include <span>
#include <vector>

#include "kernels/metrics/advice.h"
#include "kernels/run/run.h"

namespace warpscope {

class Json;

Json runsJson(std::span<const Run> runs);  // an array
// A run's advice beside what the variant that does it, if any, really gained.
struct AdvisedRun {
  Advice advice;
  size_t place = 1;
  const Run* by = nullptr;  // of `others`; never a family's ceiling
  double found_gain = 1;    // the run's launch / its launch
};
std::vector<AdvisedRun> advisedRuns(const Run& run, std::span<const Run> others);
// The same as `run --advice --json` prints it.
Json adviceJson(const Run& run, std::span<const Run> others);

}  // namespace warpscope
