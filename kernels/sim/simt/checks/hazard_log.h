// Collects hazards so that one mistake gives one report: repetitions at the same source lines are counted,
// and races that share a line and the memory with an earlier one are listed under that one.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/run/hazard.h"

namespace warpscope::sim {

// A line of a source file, by which accesses are compared; without line information, an instruction.
struct HazardPlace {
  uint32_t file = 0, line = 0;  // file 0: line is the pc
  auto operator<=>(const HazardPlace&) const = default;
};

struct HazardKey {
  HazardKind kind = HazardKind::kOutOfBounds;
  HazardPlace first, second;  // equal, except for races
  uint64_t memory = 0;        // races only: 0 for shared memory, else the allocation
};

class HazardLog {
 public:
  // Distinct hazards beyond this number are only counted.
  static constexpr size_t kMost = 64;

  // make() gives the details; it is called only for the first hazard with this key.
  template <class Make>
  void add(const HazardKey& key, uint64_t count, Make&& make) {
    if (Entry* entry = merge(key, count)) {
      entry->hazard = make();
      entry->hazard.count = count;
    }
  }
  bool has(HazardKind kind) const;
  bool empty() const { return entries_.empty(); }
  uint64_t leftOut() const { return left_out_; }
  std::vector<Hazard> take();

 private:
  struct Entry {
    HazardKind kind;
    uint64_t memory;
    std::vector<std::pair<HazardPlace, HazardPlace>> places;  // the first is the hazard's own
    Hazard hazard;
  };
  // The new entry to fill, or nullptr if the hazard was merged into an existing one.
  Entry* merge(const HazardKey& key, uint64_t count);

  std::vector<Entry> entries_;
  uint64_t left_out_ = 0;
};

}  // namespace warpscope::sim
