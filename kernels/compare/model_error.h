// The error of a simulated GPU's run against the measured run of the same kernel at the same settings.
#pragma once

#include "kernels/compare/axis.h"

namespace warpscope {

struct SignedError {
  std::string name, unit;  // "time", "µs"; "cycles a warp in 'load'", "cycles"; a counter's name
  double measured = 0, modelled = 0;
  std::optional<double>
      relative;  // (modelled - measured) / measured: +0.1 is 10 % too much; absent if measured is 0
};

struct ModelError {
  size_t measured = 0, modelled = 0;  // indices of the runs
  std::vector<SignedError> errors;    // for everything known of both: time, cycles, regions, counters
  std::string caution;                // why the two may not be the same GPU, or empty
};

// One for every pair of a measured and a modelled run with equal family, variant and parameters.
std::vector<ModelError> modelErrors(const ComparedRuns& runs);

}  // namespace warpscope
