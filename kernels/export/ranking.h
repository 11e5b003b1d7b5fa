// Runs that did the same work, by their time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

// Whether the spreads (minimum to maximum) of two runs' times meet: then neither is known to be the faster.
bool withinNoise(const Timing& a, const Timing& b);

struct Ranked {
  size_t run = 0;           // index into the runs given
  double speed_up = 1;      // over the slowest: its median / this one's
  bool as_slowest = false;  // within noise of the slowest, another run than it
  double behind = 1;        // this median / that of the run before it
  bool as_before = false;   // within noise of the run before it
};
// Fastest first. One list for each family, device and work that two timed runs or more share; the others
// cannot be compared and are in none. Runs do the same work if their least traffic is the same and so is
// every parameter that all of them have, but for the block's shape.
std::vector<std::vector<Ranked>> rankings(std::span<const Run* const> runs);

}  // namespace warpscope
