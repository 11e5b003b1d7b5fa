// Whether one time is really less than another, from what a run keeps of its repeats: median, least and most.
#pragma once

#include "kernels/run/run.h"

namespace warpscope {

// What a run costs: µs, or µs a byte where runs of different sizes are compared.
struct Cost {
  double median = 0, least = 0, most = 0;
  uint32_t repeats = 0;
  bool modelled = false;  // computed, not measured: the same again every time
};

enum class Verdict {
  kFaster,         // less than the other, beyond the noise
  kSlower,         // more
  kWithinNoise,    // the ranges [least, most] meet: no repeat would be surprising in the other's place
  kTooFewRepeats,  // the ranges are apart, but so few repeats may be by chance
};
const char* verdictName(Verdict verdict);  // "within noise"

// Of `a` against `b`. Measured ones differ where their ranges are apart, and where that says something: if
// both came from one and the same distribution, all n repeats of one lying below all m of the other, or
// above, would have the probability 2 / (n+m choose n), which must be 1 % at most (5 repeats each suffice, 20
// do amply). One outlier makes ranges meet, so differences are missed rather than invented. Repeats of one
// run are not quite independent (clocks and temperatures drift), which is why the medians alone are not
// believed. Modelled costs have no noise: they differ where their ranges are apart, whatever the repeats.
Verdict compareCosts(const Cost& a, const Cost& b);

}  // namespace warpscope
