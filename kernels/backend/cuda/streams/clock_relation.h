// How the clock of the host, of CUPTI or of timing events relates to the GPU's %globaltimer.
//
// Each sample is certain: what lies between two readings of the other clock began and ended between them, by
// the GPU's timer. So it bounds the difference of the two clocks from both sides, by as much as lies between
// the inner and the outer readings, and all samples together bound it closer. Samples before and after the
// work bound it twice. Where one difference fits both, it is used for all times, so that durations are the
// clock's own; else it is taken to change evenly in between.
#pragma once

#include <cstdint>
#include <span>

namespace warpscope::cuda {

struct ClockSample {
  int64_t outer_begin_ns = 0, outer_end_ns = 0;  // the other clock
  int64_t inner_begin_ns = 0, inner_end_ns = 0;  // %globaltimer, which shows the begin of its steps
};

class ClockRelation {
 public:
  // `step_ns`: of the timer. Neither span may be empty.
  ClockRelation(std::span<const ClockSample> before, std::span<const ClockSample> after, int64_t step_ns);

  // %globaltimer's time at the other clock's.
  int64_t timerAt(int64_t other_ns) const;
  // Half of what the samples leave open. Where they contradict each other, as much as they do.
  double uncertaintyNs() const { return uncertainty_ns_; }

 private:
  struct Bound {
    int64_t at_ns = 0;         // by the other clock
    double low = 0, high = 0;  // of the difference, less base_ns_
    double middle() const { return (low + high) / 2; }
    // Where bounds contradict each other by e, some are wrong by e / 2 or more, and others may be, too.
    double half() const { return high >= low ? (high - low) / 2 : low - high; }
  };
  Bound boundOf(std::span<const ClockSample> samples, int64_t step_ns) const;

  int64_t base_ns_;  // about the difference: doubles hold what is left of it, which may be a date in ns
  int64_t from_ns_ = 0;
  double first_ = 0, change_ = 0;  // the difference less the base at from_ns_, and its change a ns
  double uncertainty_ns_ = 0;
};

// The step of which all differences of the timer's values are multiples; at least 1, at most a millisecond.
int64_t timerStepNs(std::span<const ClockSample> samples);

}  // namespace warpscope::cuda
