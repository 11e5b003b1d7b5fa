// Collects hazards so that one mistake makes one report: what repeats at the same source lines is counted,
// and races that share a line and the memory with one already there are listed under it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/run/hazard.h"

namespace warpscope::sim {

// A line of a source file, as two accesses are compared by; without line information an instruction.
struct HazardPlace {
  uint32_t file = 0, line = 0;  // file 0: line is the pc
  auto operator<=>(const HazardPlace&) const = default;
};

struct HazardKey {
  HazardKind kind = HazardKind::kOutOfBounds;
  HazardPlace first, second;  // equal, but for races
  uint64_t memory = 0;        // of races: 0 shared memory, else the allocation
};

class HazardLog {
 public:
  // More different ones than this are only counted.
  static constexpr size_t kMost = 64;

  // make() gives the details; called for the first of its kind only.
  template <class Make>
  void add(const HazardKey& key, uint64_t count, Make&& make) {
    if (Entry* entry = merge(key, count)) {
      entry->hazard = make();
      entry->hazard.count = count;
    }
  }
  bool has(HazardKind kind) const;
  bool empty() const { return entries_.empty(); }
  uint64_t left_out() const { return left_out_; }
  std::vector<Hazard> take();

 private:
  struct Entry {
    HazardKind kind;
    uint64_t memory;
    std::vector<std::pair<HazardPlace, HazardPlace>> places;  // the first is the hazard's own
    Hazard hazard;
  };
  // The new entry to fill, or nullptr when it went into one that is there.
  Entry* merge(const HazardKey& key, uint64_t count);

  std::vector<Entry> entries_;
  uint64_t left_out_ = 0;
};

}  // namespace warpscope::sim
