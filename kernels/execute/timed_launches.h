// Makes one trace of the launches of a run that a real GPU made at the same time, on the axis of its
// operations (kernels/run/stream_log.h). What ties the two together is the GPU's timer: warps read it beside
// their SM's clock, and the device says what it showed where the axis begins (StreamReport::globaltimer_ns).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/backend/backend.h"
#include "kernels/execute/merge.h"
#include "kernels/experiments/experiment.h"
#include "kernels/run/trace.h"

namespace warpscope {

struct LaunchRecords {
  uint32_t first_block = 0;  // the number of its first block in the run
  RawTrace raw;
};

// All SMs' clocks are aligned once for the whole run, so that warps of different launches on an SM are in
// their exact order. A launch whose warps then are elsewhere than the timer says by more than this, because
// the SMs changed their clock in between, is moved there.
inline constexpr double kMostTimerError_ns = 500;

// The records of a launch on this GPU as if one GPU had all SMs and one timer: that of GPU 0.
void useNumbersOf(uint32_t gpu, const DeviceLimits& limits, const StreamReport& report, RawTrace& raw);

// `report.total_ns` and `globaltimer_ns` are of the run; the latter must be there.
Expected<Trace> joinTimed(const std::vector<LaunchRecords>& launches, const StreamReport& report);

// When the first block of a launch that wrote a time did so, on the run's axis; nullopt: none did.
std::optional<double> firstMark_ns(const RawTrace& raw, const StreamReport& report);
// When the last recorded warp of a launch, or the last block that wrote a time, ended; as above.
std::optional<double> lastMark_ns(const RawTrace& raw, const StreamReport& report);

// Launches of a graph whose own times nothing but their marks tells: `operations` holds the time of the whole
// graph for each.
bool marksTellNodes(const StreamTiming& timing);

// Launches in conditional nodes of which no block left a mark were skipped. `launches`: by launch of the
// plan.
void takeSkipped(const LaunchPlan& plan, const std::vector<LaunchRecords>& launches, StreamReport& report);

}  // namespace warpscope
