// Finds the allocation that an address lies in, for every lane of every access: a snapshot of GlobalMemory's
// allocations in which the last result is tried first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/sim/simt/memory.h"

namespace warpscope::sim {

std::string bytesText(uint64_t bytes);  // "1 byte", "4,096 bytes"

class AllocationIndex {
 public:
  explicit AllocationIndex(const GlobalMemory& memory);

  enum class Verdict : uint8_t { kInside, kFreed, kOutside };
  Verdict judge(uint64_t address, uint32_t bytes);
  // The beginning of the allocation that holds the address; 0 if none does.
  uint64_t idOf(uint64_t address) const;

  // The description of an address in a message: "buffer 1 (4,096 bytes)" and the offset in it; for an address
  // outside, the nearest allocation and its position relative to that: "4 bytes past the end of buffer 1
  // (4,096 bytes)".
  struct Place {
    std::string allocation;  // empty: no allocation is near
    int64_t offset = 0;
    std::string where;
  };
  Place describe(uint64_t address, uint32_t bytes) const;

 private:
  struct Range {
    uint64_t begin = 0, end = 0;
    bool freed = false;
    std::string name;
  };
  // The last range that begins at or below the address, or nullptr.
  const Range* below(uint64_t address) const;

  std::vector<Range> ranges_;  // by begin
  size_t last_ = 0;
};

}  // namespace warpscope::sim
