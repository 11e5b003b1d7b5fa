// The times of a run, defined once. Whatever shows a time says by these names which one it is:
//
//   launch       = kernel + overhead     of the bare kernel, which is what is timed
//   with probes:   launch, kernel        of the launch that recorded the trace; the time axis shows this
//   kernel
//
// The overhead is what the two launches have in common, so the launch with probes, whose kernel is in the
// trace, tells it for the bare one. A run of several operations has the times from the host's first call to
// the end of the last operation instead; what they consist of, metrics/streams.h says.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "kernels/run/run.h"

namespace warpscope {

enum class TimeOf { kLaunch, kKernel, kOverhead, kWithProbes };

struct TimeText {
  std::string_view name;  // "launch"
  std::string_view help;  // a sentence
};
// In the order of TimeOf.
inline constexpr std::array kTimeTexts{
    TimeText{"launch",
             "What events around the launch of the bare kernel measure: the kernel, and the overhead of "
             "launching it."},
    TimeText{"kernel", "From the first warp's begin to the last warp's end: the launch less its overhead."},
    TimeText{"launch overhead",
             "What a launch takes beyond its kernel: the launch with probes less the kernel in its trace."},
    TimeText{"with probes",
             "Of the launch that recorded the trace: writing the records takes time, too. The time axis "
             "shows the kernel with probes."}};
constexpr const TimeText& timeText(TimeOf time) {
  return kTimeTexts[static_cast<size_t>(time)];
}

// In µs; absent: it is not known.
struct RunTimes {
  std::optional<double> launch;    // what events around the launch measure: the median
  std::optional<double> overhead;  // what a launch takes beyond its kernel
  std::optional<double> kernel;    // the first warp's begin to the last warp's end: launch less overhead
  std::optional<double> launch_with_probes, kernel_with_probes;
  // Where the launch goes on for long after the last warp's end, whose stores and atomics without a result
  // are still carried out: nobody waits for them. The overhead, which is then unknown, is in it.
  std::optional<double> after_last_warp;

  // 0 to 1: the overhead's part of the launch.
  std::optional<double> overheadShare() const;
};
RunTimes timesOf(const Run& run);

// From this share on, the launch's time says more about launching than about the kernel.
inline constexpr double kMostOverheadShare = 0.5;

// The factor by which the launch's work must grow for the overhead to be well below that share. Blocks that
// fit beside those that run already cost no time; further ones do. nullopt: the overhead is not too large, or
// unknown.
std::optional<double> workToOutweighOverhead(const Run& run);

}  // namespace warpscope
