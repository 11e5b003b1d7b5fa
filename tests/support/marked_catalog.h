// The catalog's bare kernels, marked automatically, beside their hand-marked forms: for tests and benchmarks
// of kernels/mark on any device.
#pragma once

#include <string>

#include "kernels/execute/executor.h"
#include "kernels/experiments/experiment.h"
#include "kernels/run/program.h"

namespace warpscope::test {

// The plan with the automatically marked form of its kernel for its probed one. Throws if the marker refuses
// the module, because the test is wrong then.
LaunchPlan markedPlan(LaunchPlan plan, MarkLevel level);
// The regions that marks of the plan's kernel begin.
const std::vector<Region>& markedRegions(const LaunchPlan& plan, MarkLevel level);

// For an Executor: the catalog's families, whose kernels are marked automatically.
KernelLibrary markedKernels(MarkLevel level);

// Places of a hand-marked kernel whose masks are found at the same source lines in the automatically marked
// one. A place is a hand-marked region whose lines have an automatic mark.
struct MatchedMasks {
  size_t places = 0, equal = 0;
  std::string first_difference;  // "region 'odd path' (line 31): ..."
};
MatchedMasks matchMasks(const Run& by_hand, const Run& automatic);

}  // namespace warpscope::test
