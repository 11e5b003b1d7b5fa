// A part of a run's trace: stretches of time of some of its warps. It is told in warps and cycles, never in
// rows, so that it means the same in every picture, in a session and on the command line.
//
// As text, which can be copied and read back: `b12 w3 @1200..2400` is one warp from cycle 1200 to 2400,
// `b0-b3` every warp of four blocks for all its life, `all @0..900` every warp; a comma adds warps, a
// semicolon another part: `b0-b3, b7 w0-w1 @100..900; b9`.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/trace.h"

namespace warpscope {

struct CycleRange {
  int64_t begin = std::numeric_limits<int64_t>::min(), end = std::numeric_limits<int64_t>::max();
  int64_t length() const { return end > begin ? end - begin : 0; }
  bool bounded() const { return *this != CycleRange{}; }
  auto operator<=>(const CycleRange&) const = default;
};
// Sorted and disjoint: what overlaps or touches becomes one.
std::vector<CycleRange> unionOf(std::vector<CycleRange> ranges);
// "100..900", in cycles, and back; either end may be left out. Error kBadRequest: says what can be written.
std::string cycleRangeText(const CycleRange& cycles);
Expected<CycleRange> parseCycleRange(std::string_view text);
// How many cycles of `range` lie in the others, which must be disjoint.
int64_t overlap(const CycleRange& range, std::span<const CycleRange> others);

// The warps first_warp to last_warp of each of the blocks first_block to last_block, inclusive.
struct WarpRange {
  static constexpr uint32_t kLast = std::numeric_limits<uint32_t>::max();
  uint32_t first_block = 0, last_block = kLast, first_warp = 0, last_warp = kLast;
  auto operator<=>(const WarpRange&) const = default;
};

struct SelectedPart {
  CycleRange cycles;                 // on the launch axis; unbounded: as long as the warps live
  std::vector<WarpRange> warps{{}};  // sorted and disjoint (warpRanges); the default is every warp
  bool has(BlockId block, uint32_t warp_in_block) const;
  bool operator==(const SelectedPart&) const = default;
};

struct TraceSelection {
  std::vector<SelectedPart> parts;  // may overlap: what is in several counts once
  bool empty() const { return parts.empty(); }
  bool operator==(const TraceSelection&) const = default;
};

TraceSelection selectAll();
TraceSelection selectWarp(BlockId block, uint32_t warp_in_block, const CycleRange& cycles = {});
// The stretches of a warp's life that are selected, sorted and disjoint.
std::vector<CycleRange> selectedCycles(const TraceSelection& selection, const TraceWarp& warp);

// With all times multiplied: on the axis of another unit.
TraceSelection scaled(TraceSelection selection, double factor);

// From the first to the last selected cycle of any warp; nullopt: nothing of this trace is selected.
std::optional<CycleRange> extentOf(const TraceSelection& selection, const Trace& trace);

// Any ranges, made sorted and disjoint.
std::vector<WarpRange> warpRanges(std::vector<WarpRange> ranges);
// These warps of a trace, where a block has `warps_per_block` of them, in as few ranges as possible.
std::vector<WarpRange> warpRanges(std::span<const TraceWarp* const> warps, uint32_t warps_per_block);

// Empty: nothing is selected. A text longer than `longest` ends in " ...".
std::string selectionText(const TraceSelection& selection, size_t longest = std::string::npos);
// Error kBadRequest: says which word is not understood, and what can be written.
Expected<TraceSelection> parseSelection(std::string_view text);

}  // namespace warpscope
