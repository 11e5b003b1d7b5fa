// The spans of one warp: made from its events when they are asked for, so that they take no memory beside the
// trace. They cover its time from begin to end: span 0 lies before the first event, span i begins with event
// i - 1.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "kernels/run/run.h"
#include "viz/layout/region_index.h"

namespace warpscope {

struct LayoutSpan {
  int64_t begin = 0, end = 0;  // cycles on the launch axis
  LaneMask mask;               // executing
  LaneMask exited;             // left the kernel at or before begin
  RegionIndex region = kNoRegion;

  // Nothing happened in no time: such a span is neither drawn nor found.
  bool empty() const { return region == kNoRegion && begin == end; }
};

// Region id -> index, in constant time: region ids in records have eight bits.
class RegionTable {
 public:
  explicit RegionTable(std::span<const Region> regions) {
    table_.fill(kUnknownRegion);
    for (size_t i = 0; i < regions.size() && i < kUnknownRegion; ++i) {
      if (regions[i].id.value < table_.size()) table_[regions[i].id.value] = static_cast<RegionIndex>(i);
    }
  }
  RegionIndex operator[](RegionId id) const {
    return id.value < table_.size() ? table_[id.value] : kUnknownRegion;
  }

 private:
  std::array<RegionIndex, 256> table_{};
};

// The lanes that have left the kernel when a span begins, and until the next mark.
struct ExitMark {
  uint32_t span = 0;
  LaneMask exited;
};

class WarpSpans {
 public:
  WarpSpans() = default;
  // Refers to all of these. The events must be ascending and within [begin, end], the exits ascending.
  WarpSpans(int64_t begin, int64_t end, std::span<const TraceEvent> events, std::span<const ExitMark> exits,
            const RegionTable& regions)
      : begin_(begin), end_(end), events_(events), exits_(exits), regions_(&regions) {}

  size_t size() const { return regions_ == nullptr ? 0 : events_.size() + 1; }
  int64_t beginOf(size_t i) const { return i == 0 ? begin_ : events_[i - 1].clock_cycles; }
  int64_t endOf(size_t i) const { return i == events_.size() ? end_ : events_[i].clock_cycles; }
  LaneMask maskOf(size_t i) const { return isMarked(i) ? events_[i - 1].mask : LaneMask{}; }
  RegionIndex regionOf(size_t i) const {
    return isMarked(i) ? (*regions_)[events_[i - 1].region] : kNoRegion;
  }
  LaneMask exitedOf(size_t i) const {
    const auto after = std::ranges::upper_bound(exits_, i, {}, &ExitMark::span);
    return after == exits_.begin() ? LaneMask{} : std::prev(after)->exited;
  }
  LayoutSpan operator[](size_t i) const {
    return {beginOf(i), endOf(i), maskOf(i), exitedOf(i), regionOf(i)};
  }

  // As the items of a pyramid (pyramid.h).
  template <class Fold>
  void addTo(Fold& fold, size_t i) const {
    fold.add(endOf(i) - beginOf(i), maskOf(i), regionOf(i));
  }

  class Iterator {
   public:
    using iterator_concept = std::forward_iterator_tag;
    using value_type = LayoutSpan;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const WarpSpans& spans, size_t at) : spans_(&spans), at_(at) {}
    LayoutSpan operator*() const { return (*spans_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return {*spans_, at_++}; }
    bool operator==(const Iterator&) const = default;

   private:
    const WarpSpans* spans_ = nullptr;
    size_t at_ = 0;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

 private:
  // False: no mark says what the warp does in the span.
  bool isMarked(size_t i) const { return i > 0 && events_[i - 1].region != kExitRegion; }

  int64_t begin_ = 0, end_ = 0;
  std::span<const TraceEvent> events_;
  std::span<const ExitMark> exits_;
  const RegionTable* regions_ = nullptr;  // null: there is no warp
};

}  // namespace warpscope
