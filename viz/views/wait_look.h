// The look of a warp's waits, by their reason: each reason has a pattern and a muted tone that no region
// uses, the same in timeline, lanes and warp states.
#pragma once

#include <imgui.h>

#include <span>

#include "kernels/run/warp_state.h"
#include "viz/widgets/theme.h"

namespace warpscope {

// `fade`: share of the way to the background.
void drawWait(const Theme& theme, ImDrawList& list, WarpState state, ImVec2 min, ImVec2 max, float fade = 0);
// The mean tone, for areas that are too small for a pattern.
ImU32 waitTone(const Theme& theme, WarpState state);
// A framed sample of the pattern.
void drawWaitSwatch(const Theme& theme, ImDrawList& list, WarpState state, ImVec2 min, ImVec2 max);

// Starting at the cursor, in one line of at most `width`: a sample of each state and its name; those that do
// not fit are counted ("+2"). Tooltips explain each.
void drawWaitLegend(const Theme& theme, const Fonts& fonts, std::span<const WarpState> states, float width);
float waitLegendWidth(const Theme& theme, const Fonts& fonts, std::span<const WarpState> states);

}  // namespace warpscope
