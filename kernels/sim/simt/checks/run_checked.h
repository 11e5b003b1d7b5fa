// Runs a launch under checks, on one host thread: every access is judged before it is executed; a bad one is
// reported and not executed (a read gives 0), and the kernel continues. Blocks take turns, so that blocks
// that wait for each other proceed as they would on a GPU that holds all of them.
//
// It finds
// - accesses outside allocations, outside shared or local memory, in freed memory, or misaligned;
// - reads of global or shared memory that was not written since it was allocated or the block began;
// - races (race_check.h, block_clocks.h), whatever the order of events in this run;
// - accesses of a programmatic dependent launch that come too early (grid_dependency.h);
// - barriers after a branch that other lanes of the warp did not take;
//   - deadlocks, loops that provably never end, and launches that exceed the step limit.
//
// It does not find races that are hidden by an order that this run happened to have (a lock taken in one
// order only), nor reads of the old contents between cp.async and its wait.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/hazard.h"
#include "kernels/run/touched_memory.h"
#include "kernels/sim/simt/checks/grid_dependency.h"
#include "kernels/sim/simt/checks/written_memory.h"
#include "kernels/sim/simt/interpreter.h"

namespace warpscope::sim {

struct CheckOptions {
  uint64_t step_limit = 200'000'000;     // warp-instructions of the launch; 0: no limit
  std::function<void(double)> progress;  // share of blocks done; called now and then
  TouchedMemory* touched = nullptr;      // unless null, takes what the launch touches of global memory
  // Of a programmatic dependent launch: the one before it, checked with keep_accesses.
  std::shared_ptr<PrimaryLaunch> primary{};
  bool keep_accesses = false;  // CheckReport::accesses is wanted
};

struct CheckReport {
  std::vector<Hazard> hazards;
  uint64_t hazards_left_out = 0;  // distinct hazards beyond HazardLog::kMost
  uint64_t warp_instructions = 0;
  bool finished = false;  // all blocks ran to completion
  std::shared_ptr<PrimaryLaunch> accesses{};
};

// `written` is updated with what the kernel writes. Errors: kCancelled. What is wrong with the kernel is in
// the report.
Expected<CheckReport> runChecked(const Launch& launch, WrittenMemory& written, const CheckOptions& options,
                                 const std::stop_token& stop);

}  // namespace warpscope::sim
