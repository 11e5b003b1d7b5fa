// What L2 holds before a launch looks for it: ranges of lines that were moved through it, in the order in
// which that happened. A line of them is still there if fewer other lines than the cache has were used since
// (the least recently used go first). Launches are often simulated in part; the lines that they use count for
// those of the whole launch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace warpscope::sim {

class WarmRanges {
 public:
  explicit WarmRanges(uint64_t capacity_lines) : capacity_lines_(capacity_lines) {}

  void clear() { ranges_.clear(); }
  // [first, last] has just been moved through the cache, or written; `share` of its lines: which ones is not
  // known. Ranges that it covers are forgotten.
  void touch(uint64_t first, uint64_t last, bool written = false, double share = 1);
  bool isWritten(size_t index) const { return ranges_[index].written; }
  size_t size() const { return ranges_.size(); }
  // The lines of all ranges that were touched since settle(), each counted once.
  double freshLines() const;
  void settle();
  // The index of the range with the line, the oldest range being 0; nullopt: in none.
  std::optional<size_t> find(uint64_t line) const;
  uint64_t linesOf(size_t index) const { return ranges_[index].last - ranges_[index].first + 1; }

  // The lines of a slice of the cache that were used since each range was touched, by the index of their
  // range; those of no range come last. Scaled to the whole launch.
  using Used = std::vector<double>;
  // How many lines were used since the line of range `index` was, as a share of what a cache of `slices`
  // slices can hold.
  double usedSince(size_t index, uint64_t line, const Used& used, uint32_t slices) const;
  // The index that each range had before the last touch(); nullopt: it is new.
  const std::vector<std::optional<size_t>>& formerIndices() const { return former_; }

 private:
  struct Range {
    uint64_t first = 0, last = 0;
    double after = 0;   // lines of the ranges that were touched later
    bool fresh = true;  // touched since settle()
    bool written = false;
    double share = 1;
    double linesFrom(uint64_t line) const { return share * static_cast<double>(last - line + 1); }
    double lines() const { return linesFrom(first); }
  };
  static constexpr size_t kMostRanges = 256;

  uint64_t capacity_lines_;
  std::vector<Range> ranges_;  // by the time of their touch; disjoint
  std::vector<std::optional<size_t>> former_;
};

}  // namespace warpscope::sim
