// A trace's warps and events as columns of bytes, before compression, and back. docs/recording_format.md has
// the layout. Internal to recordings.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/run/trace.h"

namespace warpscope {

enum ColumnIndex : size_t {
  kWarpColumn,
  kClockColumn,
  kMaskColumn,
  kRegionColumn,
  kEventColumns,  // how many a trace without instructions has
  kCountColumn = kEventColumns,
  kIssueColumn,
  kListedColumn,
  kLanesColumn,
  kWaitColumn,
  kColumnCount
};
inline constexpr std::array<std::string_view, kColumnCount> kColumnNames{"warps",
                                                                         "event_clocks",
                                                                         "event_masks",
                                                                         "event_regions",
                                                                         "instruction_counts",
                                                                         "instruction_clocks",
                                                                         "instruction_listed",
                                                                         "instruction_masks",
                                                                         "instruction_waits"};
inline size_t columnCount(bool instructions) {
  return instructions ? kColumnCount : kEventColumns;
}

using Columns = std::array<std::vector<std::byte>, kColumnCount>;
using ColumnViews = std::array<std::span<const std::byte>, kColumnCount>;

// Those of instructions are empty where the trace has none. Error: a warp's events lie outside of the trace.
Expected<Columns> makeColumns(const Trace& trace);

// Fills warps and events (instruction_columns.h: instructions); the trace's other members are the header's.
// The error says which column and warp.
Expected<void> readColumns(const ColumnViews& columns, size_t warps, size_t events, Trace& trace);

}  // namespace warpscope
