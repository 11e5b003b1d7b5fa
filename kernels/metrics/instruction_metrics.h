// Numbers computed from what only a modelled device reports: its warp states and the instructions that its
// warps issued. metrics.h has the metrics of every run.
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

// The instructions that the recorded warps issued, and what they waited for before them.
struct IssueMetrics {
  uint64_t issued = 0;                         // warp-instructions
  uint64_t thread_instructions = 0;            // sum of executing lanes
  int64_t stall_cycles = 0;                    // waits before them, summed over warps
  std::array<int64_t, kWarpStates> stalled{};  // the same by longest reason

  void add(const TraceInstruction& instruction);
  IssueMetrics& operator+=(const IssueMetrics& other);
  double meanLanes() const;
  WarpState longest() const;  // kSelected if it never waited
};
// By index in Run::listing.
std::vector<IssueMetrics> issueMetricsOfListing(const Run& run);
// By line of Run::source_file: [0] is for lines in other files, [1] is line 1. As long as necessary.
std::vector<IssueMetrics> issueMetricsOfLines(const Run& run, const std::vector<IssueMetrics>& of_listing);

}  // namespace warpscope
