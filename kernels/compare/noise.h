// Decides whether one time is really less than another, from a run's summary of its repeats: median, minimum
// and maximum.
#pragma once

#include "kernels/run/run.h"

namespace warpscope {

// The cost of a run: µs, or µs per byte if runs of different sizes are compared.
struct Cost {
  double median = 0, least = 0, most = 0;
  uint32_t repeats = 0;
  bool modelled = false;  // computed, not measured: identical every time
};

enum class Verdict {
  kFaster,         // less than the other, beyond the noise
  kSlower,         // more
  kWithinNoise,    // the ranges [least, most] overlap: no repeat would be surprising for the other run
  kTooFewRepeats,  // the ranges do not overlap, but with so few repeats that may be chance
};
const char* verdictName(Verdict verdict);  // "within noise"

// The verdict on `a` compared with `b`. Measured costs differ if their ranges do not overlap, and if that is
// significant: if both came from the same distribution, all n repeats of one would be below all m of the
// other, or above, with the probability 2 / (n+m choose n), which must be at most 1 % (5 repeats each
// suffice, 20 are ample). One outlier makes ranges overlap, so differences are rather missed than invented.
// Repeats of one run are not quite independent (clocks and temperatures drift), which is why the medians
// alone are not trusted. Modelled costs have no noise: they differ if their ranges do not overlap, whatever
// the repeats.
Verdict compareCosts(const Cost& a, const Cost& b);

}  // namespace warpscope
