// Tags of a sectored, set-associative cache with least-recently-used replacement: which sectors of which
// lines are present. It holds no data and knows no time but what callers note in a line.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sim/sm/coalescer.h"

namespace warpscope::sim {

struct CacheLine {
  uint64_t line = ~uint64_t{0};  // address / 128
  uint64_t fill = 0;             // when the latest missing sector comes; the owner's meaning
  uint8_t valid = 0;             // sectors that a load finds
  uint8_t written = 0;           // sectors that stores touched, in part or in full
  uint8_t dirty = 0;             // sectors that the next level has not seen
};

// Spreads lines over sets, slices and channels so that no power-of-two stride piles up on one: a
// multiplicative hash. What real GPUs use is not published.
inline uint64_t hashLine(uint64_t line) {
  uint64_t hash = line * 0x9E37'79B9'7F4A'7C15ULL;
  return hash ^ (hash >> 32);
}

class SectoredTags {
 public:
  SectoredTags(uint64_t bytes, uint32_t ways);

  void clear();
  // The line if it is there; marks it as used.
  CacheLine* find(uint64_t line);
  // The line; if it was not there, an empty one in place of the least recently used, whose former contents go
  // to `evicted`.
  CacheLine& findOrReplace(uint64_t line, CacheLine& evicted);
  uint64_t lineCount() const { return lines_.size(); }
  // Says that the line will be looked up soon. Large caches' tags lie far from the processor.
  void prefetch(uint64_t line) const {
    __builtin_prefetch(ways_data_.data() + setOf(hashLine(line)) * 2 * ways_);
  }

 private:
  uint64_t setOf(uint64_t hash) const { return ((hash & 0xFFFF'FFFFU) * sets_) >> 32; }
  // What tells lines of a set apart at a glance; the line itself has the last word.
  static uint32_t markOf(uint64_t hash) { return static_cast<uint32_t>(hash >> 32) | 1U; }
  CacheLine* findWay(uint64_t line, uint32_t mark, uint64_t set);

  uint32_t ways_;
  uint64_t sets_;
  uint32_t clock_ = 0;
  std::vector<uint32_t> ways_data_;  // [set]: each way's mark (0: empty), then when each was last used
  std::vector<CacheLine> lines_;     // [set][way]
};

}  // namespace warpscope::sim
