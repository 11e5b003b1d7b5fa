// What an issued instruction is, told in a tooltip: timeline and lanes say the same.
#pragma once

#include <string>

#include "viz/layout/instruction_layout.h"
#include "viz/views/view.h"

namespace warpscope {

// "12,345 cycles  (7.034 µs)"; without the time where the clock rate is unknown.
std::string cyclesWithNs(const Run& run, int64_t cycles);

// Of trace warp `warp`. `note` ends the tooltip; empty: none.
void instructionTooltip(const ViewInput& input, const TraceWarp& warp, const InstructionSlot& slot,
                        const std::string& note);

// Why the run has no instructions to show, and what to do; empty: it has, or its device can tell them.
std::string whyNoInstructions(const Run* run, const TraceLayout* layout);

}  // namespace warpscope
