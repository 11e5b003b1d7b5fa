// How far a simulated GPU's run is off the measured one of the same kernel at the same settings.
#pragma once

#include "kernels/compare/axis.h"

namespace warpscope {

struct SignedError {
  std::string name, unit;  // "time", "µs"; "cycles a warp in 'load'", "cycles"; a counter's name
  double measured = 0, modelled = 0;
  std::optional<double> relative;  // (modelled - measured) / measured: +0.1 is 10 % too much; absent: of 0
};

struct ModelError {
  size_t measured = 0, modelled = 0;  // which runs
  std::vector<SignedError> errors;    // what both know: time, cycles, regions, counters
  std::string caution;                // empty, or why the two may not be the same GPU
};

// Every pair of a measured and a modelled run of equal family, variant and parameters.
std::vector<ModelError> modelErrors(const ComparedRuns& runs);

}  // namespace warpscope
