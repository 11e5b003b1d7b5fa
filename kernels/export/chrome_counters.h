// The values of a trace file's counters over time.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/run/trace.h"

namespace warpscope {

struct ActiveLanes {
  struct Step {
    int64_t cycles = 0;  // from this cycle on
    double lanes = 0;    // executing lanes, of all recorded warps
  };
  std::vector<Step> steps;
  // Each step is the mean over this many cycles; 0: every change is included.
  int64_t mean_over_cycles = 0;
};

// Every change, or means over equal intervals if there would be more than `most` steps.
ActiveLanes activeLanes(const Trace& trace, size_t most);

}  // namespace warpscope
