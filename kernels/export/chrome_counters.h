// What the counters of a trace file show over time.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/run/trace.h"

namespace warpscope {

struct ActiveLanes {
  struct Step {
    int64_t cycles = 0;  // from here on
    double lanes = 0;    // executing, of all recorded warps
  };
  std::vector<Step> steps;
  // Each step is the mean over that many cycles; 0: every change is there.
  int64_t mean_over_cycles = 0;
};

// Every change, or means over equal stretches where there would be more than `most` steps.
ActiveLanes activeLanes(const Trace& trace, size_t most);

}  // namespace warpscope
