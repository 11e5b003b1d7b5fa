// A trace's warps, events and issued instructions as columns of bytes, before compression, and back.
// docs/recording_format.md has the layout. Internal to recordings.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/core/error.h"
#include "kernels/recording/section_stream.h"
#include "kernels/run/trace.h"

namespace warpscope {

enum ColumnIndex : size_t {
  kWarpColumn,
  kClockColumn,
  kMaskColumn,
  kRegionColumn,
  kEventColumns,  // number of columns of a trace without instructions
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

// The columns of instructions are empty if the trace has none. Fails if a warp's events are outside the
// trace.
Expected<Columns> makeColumns(const Trace& trace);

// Fills in the warps; the trace's other members come from the header. `events`: how many they must have
// together. The error names the column and the warp.
Expected<void> readWarps(std::span<const std::byte> column, size_t warps, size_t events, Trace& trace);

// The columns of events while they are decompressed.
struct EventStreams {
  SectionStream clocks, masks, regions;
};
// Fills in the events of the warps, which must be there (event_columns.cpp): in pieces and by several
// threads, so that a large trace is in memory only once.
Expected<void> readEvents(EventStreams& streams, Trace& trace);

// The same for instructions (instruction_columns.cpp). The number of instructions that the warps have; only
// these are recorded.
size_t instructionsOfWarps(const Trace& trace);

// Fills the instruction columns. Fails if a warp's instructions are outside the trace.
Expected<void> makeInstructionColumns(const Trace& trace, Columns& columns);

// Fills in instructions and the warps' ranges of them; the warps must be there. `listed` is the number of
// instructions in the listing.
Expected<void> readInstructionColumns(const ColumnViews& columns, size_t instructions, size_t listed,
                                      Trace& trace);

}  // namespace warpscope
