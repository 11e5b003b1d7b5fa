// The positions of an axis' ticks: steps of 1, 2 or 5 times a power of ten.
#pragma once

#include <string>

namespace warpscope {

struct Ticks {
  double first = 0, step = 1;
  int count = 0;
  int decimals = 0;  // as many as distinguish neighbouring ticks

  double at(int i) const { return first + step * i; }
};

// The ticks in [min, max], at most `at_most` of them (and at least two, if possible); none if the range is
// empty or not finite. `smallest_step`: 1 for whole things such as cycles.
Ticks niceTicks(double min, double max, int at_most, double smallest_step = 0);

// "12,000", "0.25": with the number of decimals of its axis.
std::string formatTick(double value, int decimals);

}  // namespace warpscope
