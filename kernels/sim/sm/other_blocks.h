// What the blocks of a grid that are not simulated leave behind for those that are.
#pragma once

#include <cstdint>
#include <stop_token>

#include "kernels/core/error.h"
#include "kernels/sim/simt/functional_grid.h"

namespace warpscope::sim {

struct OtherBlocks {
  // The words through which blocks learn of each other (tickets, the count of a barrier) are as if all other
  // blocks had arrived; what else these blocks would write is not there.
  bool foreseen = false;
  uint64_t executed_until = 0;  // the other blocks below this one have been executed, not past a strong load:
  uint64_t executed_blocks = 0;  // so many,
  FunctionalResult executed;     // with so many instructions
};

// Executes a few of the blocks that are not among `timed`. Where each of them changes the same words by the
// same amount, so would the rest: their share is added. The blocks must influence each other by kOrder or
// kBarrier only (sampled_sms.h). Errors: the same as runFunctional.
Expected<OtherBlocks> foreseeOthers(const Launch& launch, const BlockSelection& timed,
                                    const FunctionalOptions& options, const std::stop_token& stop);

}  // namespace warpscope::sim
