// Work that a vendor's library does in one call, as a reference for experiments.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpscope {

struct LibraryWork {
  enum class Kind { kSumOfInts, kSumOfFloats } kind = Kind::kSumOfInts;
  size_t input = 0;  // into LaunchPlan::buffers
  uint64_t count = 0;
};

}  // namespace warpscope
