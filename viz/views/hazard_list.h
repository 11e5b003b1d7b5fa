// Hazards as the code view shows them: a list over the code, a sign at each line, and what a tooltip tells.
#pragma once

#include <string>

#include "viz/views/view.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {

// A triangle with an exclamation mark: never colour alone.
void drawHazardSign(const Theme& theme, const Fonts& fonts, ImVec2 middle);

// "Race", "Read or write out of bounds"
const char* hazardTitle(HazardKind kind);
void tellHazard(Tooltip& tooltip, const Hazard& hazard);

// The run's hazards, a row each, from the cursor on; scrolls where there are many. A click selects the
// hazard's line (ViewState::selected_line). Draws nothing where none was found.
void drawHazardList(const ViewInput& input, ViewState& state);

}  // namespace warpscope
