// The method by which each variant of the reduction adds up, in numbers: the basis of plans, checks and
// predictions.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/experiments/experiment.h"

namespace warpscope::reduction {

// The way in which the blocks' sums are added up.
enum class End { kHost, kStaticArray, kAtomics, kSecondLaunch, kLastBlock, kGridBarrier };

struct Method {
  const char* variant;
  uint32_t elements =
      1;  // elements that a thread adds before its block does; 0: the grid strides over the input
  bool in_place = false;  // the tree is in global memory, in the input itself
  bool tile = false;      // the tree is in dynamic shared memory
  End end = End::kHost;
};

const Method& methodOf(const std::string& variant);

// A request as numbers.
struct Settings {
  explicit Settings(const RunRequest& request);

  const Method& method;
  uint32_t block = 0, size = 0;
  bool floats = false, copies = false;
  uint32_t elements = 1;  // as in Method; coarsened: the value of the control

  // For a grid that strides: no more blocks than the data needs.
  uint32_t blocksOn(const DeviceLimits& limits) const;
  const RunRequest& request;
};

}  // namespace warpscope::reduction
