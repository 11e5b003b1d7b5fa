// The tags of a sectored, set-associative cache with least-recently-used replacement: which sectors of which
// lines are present. It owns no data and knows no time except what callers store in a line.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/access/coalescer.h"

namespace warpscope::sim {

struct CacheLine {
  uint64_t line = ~uint64_t{0};  // address / 128
  uint64_t fill = 0;             // when the latest missing sector arrives, in the owner's time
  uint8_t valid = 0;             // sectors that a load finds
  uint8_t written = 0;           // sectors that stores wrote, partly or fully
  uint8_t dirty = 0;             // sectors not yet written to the next level
  uint8_t copied = 0;            // L2: sectors of which the other partition has a copy
};

// Spreads lines over sets, slices and channels by a multiplicative hash, so that no power-of-two stride
// concentrates on one of them. The hash of real GPUs is not published.
inline uint64_t hashLine(uint64_t line) {
  uint64_t hash = line * 0x9E37'79B9'7F4A'7C15ULL;
  return hash ^ (hash >> 32);
}

class SectoredTags {
 public:
  SectoredTags(uint64_t bytes, uint32_t ways);

  void clear();
  // Returns the line, marked as used, or nullptr if it is not present.
  CacheLine* find(uint64_t line);
  // Returns the line. If it was not present, it is an empty one in place of the least recently used line,
  // whose former contents go to `evicted`.
  CacheLine& findOrReplace(uint64_t line, CacheLine& evicted);
  uint64_t lineCount() const { return lines_.size(); }
  // Announces that the line will soon be looked up: a large cache's tags are not in the host's caches.
  void prefetch(uint64_t line) const {
    __builtin_prefetch(ways_data_.data() + setOf(hashLine(line)) * 2 * ways_);
  }

 private:
  uint64_t setOf(uint64_t hash) const { return ((hash & 0xFFFF'FFFFU) * sets_) >> 32; }
  // Tells the lines of a set apart quickly; the line itself decides.
  static uint32_t markOf(uint64_t hash) { return static_cast<uint32_t>(hash >> 32) | 1U; }
  CacheLine* findWay(uint64_t line, uint32_t mark, uint64_t set);

  uint32_t ways_;
  uint64_t sets_;
  uint32_t clock_ = 0;
  std::vector<uint32_t> ways_data_;  // [set]: each way's mark (0: empty), then when each was last used
  std::vector<CacheLine> lines_;     // [set][way]
};

}  // namespace warpscope::sim
