// Tooltips of spans and of issued instructions, the same in timeline and lanes.
#pragma once

#include <optional>
#include <string>

#include "viz/layout/instruction_layout.h"
#include "viz/layout/trace_layout.h"
#include "viz/views/view.h"

namespace warpscope {

// "block 12 (4, 3, 0), warp 3": coordinates only where the grid has more than one dimension.
std::string warpTitle(const Run& run, const TraceWarp& warp);
// "odd path", or a replacement if no mark gives the region.
std::string regionName(const Run& run, RegionIndex region);

// For trace warp `warp`, at a span, or without one: only the warp. `note` is the last line of the tooltip;
// empty: none.
void spanTooltip(const ViewInput& input, const TraceWarp& warp, const std::optional<LayoutSpan>& span,
                 const std::string& note);

// For a row of a block: what its warps do at `cycle`, or without one, the block as a whole.
void blockRowTooltip(const ViewInput& input, uint32_t row, std::optional<double> cycle);
// The last line of the tooltip of a warp in a row of a slot: how many warps held the slot, and where the slot
// is from. Empty for other rows.
std::string slotRowNote(const ViewInput& input, uint32_t row, uint32_t warp);

// "12,345 cycles  (7.034 µs)"; without the time if the clock rate is unknown.
std::string cyclesWithNs(const Run& run, int64_t cycles);

// For trace warp `warp`. `note` is the last line of the tooltip; empty: none.
void instructionTooltip(const ViewInput& input, const TraceWarp& warp, const InstructionSlot& slot,
                        const std::string& note);

// Which time the axis shows, and how it is related to the others.
void timeAxisTooltip(const ViewInput& input);

// The reason why the run has no instructions to show, and what to do about it; empty if it has them, or if
// its device can report them.
std::string whyNoInstructions(const Run* run, const TraceLayout* layout);

}  // namespace warpscope
