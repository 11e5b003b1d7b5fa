// Runs a whole grid functionally, as fast as the host can, on several threads; the result does not depend on
// their number (see interpreter.h). Blocks are spread over virtual SMs in rounds; between rounds, global
// atomics and strong loads are executed in the order of SM and warp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "kernels/core/error.h"
#include "kernels/sim/simt/interpreter.h"

namespace warpscope::sim {

// Some blocks of a grid: of every round of `stride` blocks the first and the last few, but for some rounds in
// the middle of the grid.
struct BlockSelection {
  uint64_t stride = 1, first = 0, last = 0;
  uint64_t skip_from = 0, skip_until = 0;  // rounds without any
  bool contains(uint64_t block) const {
    const uint64_t round = block / stride, column = block % stride;
    return (column < first || column >= stride - last) && (round < skip_from || round >= skip_until);
  }
  // How many of the first `blocks` it contains; the rounds that are skipped must be among them.
  uint64_t count(uint64_t blocks) const {
    const uint64_t rest = blocks % stride, before_last = stride - last;
    return (blocks / stride - skippedRounds()) * (first + last) + std::min<uint64_t>(rest, first) +
           (rest > before_last ? rest - before_last : 0);
  }
  uint64_t skippedRounds() const { return skip_until - skip_from; }
};

struct FunctionalOptions {
  uint32_t threads = 0;     // 0: as many as the host has
  uint64_t step_limit = 0;  // warp-instructions of the whole launch; 0: no limit. Exceeding it is a fault
  std::function<void(double)> progress;  // share of blocks done; called now and then
  BlockSelection left_out;               // blocks that are not executed,
  uint64_t begin_block = 0;              // nor those before this one,
  uint64_t end_block = ~uint64_t{0};     // nor this one and those behind it
  bool all_resident = false;  // a cooperative launch: all blocks are resident, none waits for another to end
};

struct FunctionalResult {
  uint64_t warp_instructions = 0;
  uint64_t thread_instructions = 0;
};

// With Launch::shared_words, blocks go no further than a strong load.
// Errors: kWorkFailed with the fault's text (illegal address, trap, deadlock, step limit); kCancelled.
Expected<FunctionalResult> runFunctional(const Launch& launch, const FunctionalOptions& options,
                                         const std::stop_token& stop);

}  // namespace warpscope::sim
