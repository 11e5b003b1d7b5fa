// What a real GPU's samplers saw of a launch: what warps waited for at which instruction, and how busy the
// parts of the GPU were over time. Measured, and statistical: every value comes with how much was sampled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/run/warp_state.h"

namespace warpscope {

// How often a warp whose next instruction was this one was found in this state.
struct WaitSample {
  uint32_t listed = 0;                     // index into Run::listing
  WarpState state = WarpState::kSelected;  // kCount: one that has no name here
  uint64_t samples = 0;
  bool operator==(const WaitSample&) const = default;
};

// Of launches of the bare kernel: every `interval_cycles`, each SM notes the state of one of its warps.
struct WaitSamples {
  uint32_t interval_cycles = 0, launches = 0;
  uint64_t taken = 0;              // of these launches, all that follow included
  uint64_t dropped = 0;            // lost by the GPU, which takes them faster than it can write them
  uint64_t elsewhere = 0;          // at instructions that are not listed
  std::vector<WaitSample> places;  // ascending (listed, state)
  bool operator==(const WaitSamples&) const = default;
};

enum class ActivityKind : uint8_t { kSmActive, kIssue, kL2, kDram, kCount };
inline constexpr size_t kActivityKinds = static_cast<size_t>(ActivityKind::kCount);
const char* activityTitle(ActivityKind kind);   // "SMs busy"
const char* activityHelp(ActivityKind kind);    // "cycles in which SMs held warps, of all cycles of all SMs"
const char* activityMetric(ActivityKind kind);  // Nsight Compute's: "sm__cycles_active.avg.pct_of_peak_..."

// Means over an interval of a launch's time, in nanoseconds since the first observed instant of the launch,
// which is the zero of the trace's axis.
struct ActivitySample {
  double begin_ns = 0, end_ns = 0;
  std::array<double, kActivityKinds> percent{};  // of the most that the hardware can do
  bool operator==(const ActivitySample&) const = default;
};

// Of launches with probes like the one that was traced, each of which puts its samples elsewhere in time.
struct ActivitySamples {
  double interval_ns = 0;
  double uncertainty_ns = 0;  // of the samples' times against the trace's
  uint32_t launches = 0;
  std::vector<ActivitySample> samples;  // ascending begin
  bool operator==(const ActivitySamples&) const = default;
};

// All samples as one curve of steps, each of which lasts until the next: the mean of those that contain it.
struct ActivityStep {
  double begin_ns = 0;
  uint32_t samples = 0;  // 0: nothing was sampled
  std::array<double, kActivityKinds> percent{};
};
std::vector<ActivityStep> activityCurve(const ActivitySamples& samples);

}  // namespace warpscope
