// Numbers computed from warp states and instructions: those that a modelled device logs, and those at which a
// real GPU's sampler found warps. metrics.h has the metrics of every run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

// One state's share of the cycles of all warps of a launch, from Run::counters.
struct WarpStateShare {
  WarpState state = WarpState::kSelected;
  double cycles = 0;  // warp-cycles in this state per issued instruction
  double share = 0;   // of all states
};
// The longest first, and only states that occurred; empty if the device does not report them.
std::vector<WarpStateShare> warpStates(const Run& run);
// The same for one warp, from its instruction log: a wait counts only for its longest reason.
std::vector<WarpStateShare> warpStates(const Trace& trace, const TraceWarp& warp);

// The instructions that the recorded warps issued, and what they waited for before them. Of a real GPU, which
// logs neither: how many of its samples found a warp before these instructions, and what it waited for.
struct IssueMetrics {
  uint64_t issued = 0;                         // warp-instructions
  uint64_t thread_instructions = 0;            // sum of executing lanes
  uint64_t samples = 0;                        // also of warps that issued
  int64_t stall_cycles = 0;                    // waits before them, summed over warps; else 0
  int64_t stalled_samples = 0;                 // samples of warps that waited; else 0
  std::array<int64_t, kWarpStates> stalled{};  // stall_cycles by longest reason, or stalled_samples by reason

  bool empty() const { return issued == 0 && samples == 0; }
  int64_t waits() const { return stall_cycles + stalled_samples; }  // of the kind that there is
  void add(const TraceInstruction& instruction);
  void add(const WaitSample& sample);
  IssueMetrics& operator+=(const IssueMetrics& other);
  double meanLanes() const;
  WarpState longest() const;  // kSelected if it never waited
};
// By index in Run::listing.
std::vector<IssueMetrics> issueMetricsOfListing(const Run& run);
// By line of Run::source_file: [0] is for lines in other files, [1] is line 1. As long as necessary.
std::vector<IssueMetrics> issueMetricsOfLines(const Run& run, const std::vector<IssueMetrics>& of_listing);

}  // namespace warpscope
