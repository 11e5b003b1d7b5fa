// What is compared of each run, and what it is called among the others. Absent is what its device cannot
// know.
#pragma once

#include <optional>

#include "kernels/compare/axis.h"

namespace warpscope {

struct RunFacts {
  std::string label;  // what tells it from the others: "shuffle", "block 256", "shuffle, sim:h100"
  bool verified = false;
  std::optional<Timing> timing;                          // of the bare kernel
  std::optional<double> bandwidth_gb_per_s, copy_share;  // share of the copy ceiling
  std::optional<double> theoretical_occupancy, achieved_occupancy;
  std::optional<double> lost_lane_share, branch_efficiency;
  std::optional<double> bank_conflicts_per_request, sectors_per_request;
  std::optional<double> probe_cost;  // probed time / bare time
};

std::vector<RunFacts> factsOf(const ComparedRuns& runs);

}  // namespace warpscope
