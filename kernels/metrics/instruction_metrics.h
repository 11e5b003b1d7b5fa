// Numbers computed from what only a modelled device tells: its warp states and the instructions that its
// warps issued. metrics.h has those of every run.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/run/run.h"

namespace warpscope {

// One state's share of what the warps of a whole launch did, from Run::counters.
struct WarpStateShare {
  WarpState state = WarpState::kSelected;
  double cycles = 0;  // warp-cycles in this state per issued instruction
  double share = 0;   // of all states
};
// Longest first, only those that occurred; empty: the device does not tell.
std::vector<WarpStateShare> warpStates(const Run& run);
// The same of one warp, from its instruction log: a wait counts for its longest reason only.
std::vector<WarpStateShare> warpStates(const Trace& trace, const TraceWarp& warp);

// What the recorded warps issued, and what they waited for before it.
struct IssueMetrics {
  uint64_t issued = 0;                         // warp-instructions
  uint64_t thread_instructions = 0;            // executing lanes, summed over them
  int64_t stall_cycles = 0;                    // waited before them, summed over warps
  std::array<int64_t, kWarpStates> stalled{};  // of those, by their longest reason

  void add(const TraceInstruction& instruction);
  IssueMetrics& operator+=(const IssueMetrics& other);
  double meanLanes() const;
  WarpState longest() const;  // kSelected: it never waited
};
// By instruction of Run::listing.
std::vector<IssueMetrics> issueMetricsOfListing(const Run& run);
// By line of Run::source_file: [0] is of no line in that file, [1] is line 1. As long as needed.
std::vector<IssueMetrics> issueMetricsOfLines(const Run& run, const std::vector<IssueMetrics>& of_listing);

}  // namespace warpscope
