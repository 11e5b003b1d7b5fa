// The common parts of the views of a lane log: messages if there is nothing to show, the badge that says
// where addresses come from, texts of lanes and threads, and dimming.
#pragma once

#include <string>

#include "viz/views/view.h"

namespace warpscope {

// Draws the reason if nothing can be drawn: no run, no log yet, or a log that failed. Returns true if so.
bool drawMissingLog(const ViewInput& input);
// The selected warp, or the first logged one.
const LoggedWarp& shownLoggedWarp(const LaneLog& log, const ViewState& state);

std::string threadText(const ThreadIndex& thread);  // "(5, 1, 0)"
std::string lanesText(LaneMask lanes);              // "0-3, 7", "all 32"
std::string warpText(const LoggedWarp& warp);       // "block 0, warp 3"

// "addresses: simulated" or the like, ending at `right` on the line at `y`; returns its left edge.
float simulatedBadgeWidth(const ViewInput& input, const char* label);
float drawSimulatedBadge(const ViewInput& input, const char* label, float right, float y);

// Dims a picture that belongs to an earlier run.
void dimIfOld(const ViewInput& input, ImVec2 min, ImVec2 max);

// Greys for marks that do not stand for a region: present, strong, faint.
struct InkScale {
  ImU32 full, middle, faint, line;
};
InkScale inkScale(const Theme& theme);

}  // namespace warpscope
