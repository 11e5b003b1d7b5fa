// What is compared of each run, and what it is called among the others. Absent is what its device cannot
// know.
#pragma once

#include <optional>

#include "kernels/compare/axis.h"
#include "kernels/metrics/metric.h"

namespace warpscope {

struct RunFacts {
  std::string label;  // what tells it from the others: "shuffle", "block 256", "shuffle, sim:h100"
  bool verified = false;
  std::optional<Timing> timing;  // of the bare kernel
  MetricValues metrics;
};

std::vector<RunFacts> factsOf(const ComparedRuns& runs);

}  // namespace warpscope
