// What the rows of a timeline are, in which order, and which of them are shown: the user's choice, as a plain
// value that settings and sessions keep.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/core/ids.h"

namespace warpscope {

enum class RowKind : uint8_t {
  kAutomatic,     // slots if warps follow one another in them, otherwise warps by SM
  kWarpsBySm,     // a row is a warp
  kWarpsByBlock,  // a row is a warp
  kSlots,         // a row is a hardware warp slot of an SM, with the warps that held it one after another
  kBlocks,        // a row is a block: all its warps together
};

enum class RowSort : uint8_t {
  kNatural,    // by SM, slot or block; on an SM, blocks in the order in which they began
  kBegin,      // earliest first
  kDuration,   // longest first; of a slot, the time in which it held a warp
  kLostLanes,  // most lane-cycles lost first
};

// Inclusive.
struct NumberRange {
  uint32_t first = 0, last = std::numeric_limits<uint32_t>::max();
  bool contains(uint32_t number) const { return first <= number && number <= last; }
  bool operator==(const NumberRange&) const = default;
};

// Warps that meet all conditions are shown.
struct RowFilter {
  std::optional<NumberRange> sms, blocks;
  std::optional<RegionId> region;  // warps that enter it
  std::optional<int64_t> least_cycles, most_cycles;
  bool empty() const { return *this == RowFilter(); }
  bool operator==(const RowFilter&) const = default;
};

struct RowChoice {
  RowKind kind = RowKind::kAutomatic;
  RowSort sort = RowSort::kNatural;
  bool reversed = false;
  RowFilter filter;
  bool operator==(const RowChoice&) const = default;
};

// "3", "0-3", "4-" and "-3" as a range; nullopt if it is none of these.
std::optional<NumberRange> parseNumberRange(std::string_view text);
// "3", "0-3", "4-", "-3"; empty without a range.
std::string numberRangeText(const std::optional<NumberRange>& range);

// "2000" and "2,000"; nullopt if it is not a number of cycles.
std::optional<int64_t> parseCycles(std::string_view text);

// The names that settings and sessions use.
inline constexpr const char* kRowKindNames[] = {"automatic", "sm", "block", "slots", "blocks"};
inline constexpr const char* kRowSortNames[] = {"natural", "begin", "duration", "lost_lanes"};

}  // namespace warpscope
