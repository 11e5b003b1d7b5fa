// How each variant of the reduction adds up, in numbers: what plans, checks and predictions are made from.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/experiments/experiment.h"

namespace warpscope::reduction {

// Who adds the blocks' sums.
enum class End { kHost, kStaticArray, kAtomics, kSecondLaunch, kLastBlock, kGridBarrier };

struct Way {
  const char* variant;
  uint32_t elements = 1;  // that a thread adds before its block does; 0: the grid strides over the input
  bool in_place = false;  // the tree is in global memory, in the input itself
  bool tile = false;      // the tree is in dynamic shared memory
  End end = End::kHost;
};

const Way& wayOf(const std::string& variant);

// A request in numbers.
struct Settings {
  explicit Settings(const RunRequest& request);

  const Way& way;
  uint32_t block = 0, size = 0;
  bool floats = false, copies = false;
  uint32_t elements = 1;  // as in Way; coarsened: what the control says

  // Of a grid that strides: no more than the data needs.
  uint32_t blocksOn(const DeviceLimits& limits) const;
  const RunRequest& request;
};

}  // namespace warpscope::reduction
