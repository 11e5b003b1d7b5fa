// Settings that try a variant with many block shapes and data sizes, whatever its parameters for them are
// called.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/experiments/experiment.h"

namespace warpscope::test {

// Every combination of those `blocks` and `sizes` that the variant's parameters with the roles kBlock and
// kElements allow (for a choice: all; without such a parameter: the default), and of the samples of its other
// parameters. The last one is the largest.
std::vector<ParameterValues> launchSweep(const FamilyInfo& family, const std::string& variant,
                                         const std::vector<int64_t>& blocks,
                                         const std::vector<int64_t>& sizes);

// One launch with about this many elements; a variant without kElements has its largest samples.
ParameterValues launchOf(const FamilyInfo& family, const std::string& variant, int64_t size);

// "block 96 size 1000"
std::string launchName(const ParameterValues& values);

}  // namespace warpscope::test
