// The facts of each run that are compared, and its name among the others. Facts that its device cannot know
// are absent.
#pragma once

#include <optional>

#include "kernels/compare/axis.h"
#include "kernels/metrics/metric.h"

namespace warpscope {

struct RunFacts {
  std::string label;  // what distinguishes it from the others: "shuffle", "block 256", "shuffle, sim:h100"
  bool verified = false;
  std::optional<Timing> timing;  // of the bare kernel
  MetricValues metrics;
};

std::vector<RunFacts> factsOf(const ComparedRuns& runs);

}  // namespace warpscope
