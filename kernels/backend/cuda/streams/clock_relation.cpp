#include "kernels/backend/cuda/streams/clock_relation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace warpscope::cuda {

ClockRelation::ClockRelation(std::span<const ClockSample> before, std::span<const ClockSample> after,
                             int64_t step_ns)
    : base_ns_(before[0].inner_begin_ns - before[0].outer_begin_ns) {
  const Bound first = boundOf(before, step_ns), last = boundOf(after, step_ns);
  from_ns_ = first.at_ns;
  const double low = std::max(first.low, last.low), high = std::min(first.high, last.high);
  if (low <= high) {
    first_ = (low + high) / 2;
    const double least = std::min(first.low, last.low), most = std::max(first.high, last.high);
    uncertainty_ns_ = std::max(first_ - least, most - first_);
    return;
  }
  first_ = first.middle();
  if (last.at_ns > first.at_ns)
    change_ = (last.middle() - first.middle()) / static_cast<double>(last.at_ns - first.at_ns);
  uncertainty_ns_ = std::max(first.half(), last.half());
}

ClockRelation::Bound ClockRelation::boundOf(std::span<const ClockSample> samples, int64_t step_ns) const {
  Bound bound;
  bound.low = std::numeric_limits<double>::lowest();
  bound.high = std::numeric_limits<double>::max();
  double at = 0;
  for (const ClockSample& sample : samples) {
    const int64_t least = sample.inner_end_ns - sample.outer_end_ns - base_ns_;
    const int64_t most = sample.inner_begin_ns + step_ns - sample.outer_begin_ns - base_ns_;
    bound.low = std::max(bound.low, static_cast<double>(least));
    bound.high = std::min(bound.high, static_cast<double>(most));
    at += static_cast<double>(sample.outer_begin_ns - samples[0].outer_begin_ns);
  }
  bound.at_ns = samples[0].outer_begin_ns + std::llround(at / static_cast<double>(samples.size()));
  return bound;
}

int64_t ClockRelation::timerAt(int64_t other_ns) const {
  return other_ns + base_ns_ + std::llround(first_ + change_ * static_cast<double>(other_ns - from_ns_));
}

int64_t timerStepNs(std::span<const ClockSample> samples) {
  constexpr int64_t kMost = 1'000'000;
  int64_t step = 0;
  for (const ClockSample& sample : samples) {
    for (const int64_t reading : {sample.inner_begin_ns, sample.inner_end_ns})
      step = std::gcd(step, reading - samples[0].inner_begin_ns);
  }
  return std::clamp<int64_t>(step, 1, kMost);
}

}  // namespace warpscope::cuda
