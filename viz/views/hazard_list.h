// Hazards as the code view shows them: a list above the code, a marker at each line, and the text of a
// tooltip.
#pragma once

#include <string>

#include "viz/views/view.h"
#include "viz/widgets/tooltip.h"

namespace warpscope {

// A triangle with an exclamation mark, so that colour is never the only sign.
void drawHazardSign(const Theme& theme, const Fonts& fonts, ImVec2 middle);

// "Race", "Read or write out of bounds"
const char* hazardTitle(HazardKind kind);
void tellHazard(Tooltip& tooltip, const Hazard& hazard);

// The run's hazards, one per row, starting at the cursor; scrolls if there are many. A click selects the
// hazard's line (ViewState::selected_line). Draws nothing if none was found.
void drawHazardList(const ViewInput& input, ViewState& state);

}  // namespace warpscope
