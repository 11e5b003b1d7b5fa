// The tags of a sectored, set-associative cache with least-recently-used replacement: which sectors of which
// lines are present. It owns no data and knows no time except what callers store in a line.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/access/coalescer.h"
#include "kernels/sim/sm/host_prefetch.h"

namespace warpscope::sim {

// Without initialisers, so that an array of them costs nothing until it is used.
struct CacheLine {
  uint64_t line;    // address / 128
  uint64_t fill;    // when the latest missing sector arrives, in the owner's time
  uint8_t valid;    // sectors that a load finds
  uint8_t written;  // sectors that stores wrote, partly or fully
  uint8_t dirty;    // sectors not yet written to the next level
  uint8_t copied;   // L2: sectors of which the other partition has a copy
  // L2, where few SMs stand for all: the launch that used it last, bits of its SMs that did, and
  // the sectors that it fetched from DRAM.
  uint16_t launch;
  uint8_t users, fetched;
};

// Spreads lines over sets, slices and channels by a multiplicative hash, so that no power-of-two stride
// concentrates on one of them. The hash of real GPUs is not published.
inline uint64_t hashLine(uint64_t line) {
  uint64_t hash = line * 0x9E37'79B9'7F4A'7C15ULL;
  return hash ^ (hash >> 32);
}

// A number each of whose bits depends on all of `value`: the bits of hashLine() of neighbouring lines form a
// regular sequence, which blocks and SMs, regular themselves, may be in step with. (The finalizer of
// SplitMix64, Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.)
inline uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xBF58'476D'1CE4'E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D0'49BB'1331'11EBULL;
  return value ^ (value >> 31);
}

// A number from 0 to 1 that is the line's own, for each purpose another.
inline double lotOf(uint64_t line, uint64_t purpose) {
  return static_cast<double>(mixed(mixed(line) + purpose) >> 11) * 0x1p-53;
}

class SectoredTags {
 public:
  SectoredTags(uint64_t bytes, uint32_t ways);

  void clear();
  // Returns the line, marked as used, or nullptr if it is not present.
  CacheLine* find(uint64_t line) {
    const uint64_t hash = hashLine(line);
    return findWay(line, markOf(hash), setOf(hash));
  }
  // Returns the line. If it was not present, it is an empty one in place of the least recently used line,
  // whose former contents go to `evicted`.
  CacheLine& findOrReplace(uint64_t line, CacheLine& evicted) {
    CacheLine* found = find(line);
    return found != nullptr ? *found : replace(line, evicted);
  }
  // The second half of findOrReplace: the line must not be present.
  CacheLine& replace(uint64_t line, CacheLine& evicted);
  uint64_t lineCount() const { return sets_ * ways_; }
  // Announces that the line will soon be looked up: a large cache's tags are not in the host's caches.
  void prefetch(uint64_t line) const {
    const uint64_t set = setOf(hashLine(line));
    prefetchHost(generations_.data() + set);
    prefetchHost(ways_data_.get() + set * 2 * ways_);
    prefetchHost(ways_data_.get() + set * 2 * ways_ + ways_);
  }
  // The same for what is known of the line; prefetch() should have been called some time before.
  void prefetchLine(uint64_t line) const {
    const uint64_t hash = hashLine(line), set = setOf(hash);
    const uint32_t way = wayOf(markOf(hash), set, 0);
    if (way < ways_) prefetchHost(lines_.get() + set * ways_ + way);
  }

 private:
  uint64_t setOf(uint64_t hash) const { return ((hash & 0xFFFF'FFFFU) * sets_) >> 32; }
  // Tells the lines of a set apart quickly; the line itself decides.
  static uint32_t markOf(uint64_t hash) { return static_cast<uint32_t>(hash >> 32) | 1U; }
  // The first way with this mark from way `from` on; at least ways_: none.
  uint32_t wayOf(uint32_t mark, uint64_t set, uint32_t from) const {
    const uint32_t* marks = ways_data_.get() + set * 2 * ways_;
    uint32_t way = from;
    for (; way + 4 <= ways_; way += 4) {
      const bool here = static_cast<int>(marks[way] == mark) | static_cast<int>(marks[way + 1] == mark) |
                        static_cast<int>(marks[way + 2] == mark) | static_cast<int>(marks[way + 3] == mark);
      if (here) break;
    }
    while (way < ways_ && marks[way] != mark) ++way;
    return way;
  }
  CacheLine* findWay(uint64_t line, uint32_t mark, uint64_t set);
  uint32_t leastRecent(const uint32_t* used) const;

  uint32_t ways_;
  uint64_t sets_;
  uint32_t clock_ = 0;
  // A set whose generation is another one is empty, whatever the arrays hold: to clear a large cache, or to
  // make one, costs nothing for sets that are never used.
  uint8_t generation_ = 1;
  std::vector<uint8_t> generations_;       // by set; bytes, so that few of the host's cache lines hold them
  std::unique_ptr<uint32_t[]> ways_data_;  // [set]: each way's mark (0: empty), then when each was last used
  std::unique_ptr<CacheLine[]> lines_;     // [set][way]
};

}  // namespace warpscope::sim
