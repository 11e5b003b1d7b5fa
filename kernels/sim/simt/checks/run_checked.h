// Runs a launch under checks, on one host thread: every access is judged before it is done, a bad one is
// reported and not done (a read gives 0), and the kernel goes on. Blocks take turns, so that blocks which
// wait for each other go on as they would on a GPU that holds them all.
//
// What is found:
//   - accesses outside of allocations, of shared or local memory, in freed memory, misaligned ones;
//   - reads of global or shared memory that nobody wrote since it was allocated or the block began;
//   - races (race_check.h, block_clocks.h), whatever the order in which things happened here;
//   - barriers behind a branch that the warp's other lanes did not take;
//   - deadlocks, loops that provably never end, and launches that exceed the step limit.
//
// What is not: a race that hides behind an order which this run happened to have (a lock taken in one order
// only), and reads between cp.async and its wait of what lay there before.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/hazard.h"
#include "kernels/sim/simt/checks/written_memory.h"
#include "kernels/sim/simt/interpreter.h"

namespace warpscope::sim {

struct CheckOptions {
  uint64_t step_limit = 200'000'000;     // warp-instructions of the launch; 0: none
  std::function<void(double)> progress;  // share of blocks done; now and then
};

struct CheckReport {
  std::vector<Hazard> hazards;
  uint64_t hazards_left_out = 0;  // beyond HazardLog::kMost different ones
  uint64_t warp_instructions = 0;
  bool finished = false;  // all blocks ran to their end
};

// `written` is told what the kernel writes. Errors: kCancelled. What is wrong with the kernel is in the
// report.
Expected<CheckReport> runChecked(const Launch& launch, WrittenMemory& written, const CheckOptions& options,
                                 const std::stop_token& stop);

}  // namespace warpscope::sim
